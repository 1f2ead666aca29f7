use std::io::BufRead; use std::{thread, time};
fn main() {
    let all: Vec<_> = (0..4).map(|_| thread::spawn(|| { let v = vec![1u8; 40_000_000];
        thread::sleep(time::Duration::from_millis(1)); v.len() })).collect();
    for one in all { one.join().unwrap(); }
    let _ = std::fs::read_to_string("bot.rs"); let _ = std::net::TcpStream::connect("127.0.0.1:1");
    let _ = std::panic::catch_unwind(|| panic!("x")); let _ = thread::available_parallelism();
    let m: std::collections::HashMap<u8, u8> = Default::default();
    for line in std::io::stdin().lock().lines() { println!("{} {} {:?}", line.unwrap(), m.len(), time::Instant::now()); } }
