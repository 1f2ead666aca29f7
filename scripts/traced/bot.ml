let () = let _ = Array.make 4_000_000 0 in Gc.full_major (); Random.self_init ();
  (try ignore (open_out "/nowhere/x") with Sys_error _ -> ()); close_in (open_in "bot.ml");
  try while true do let l = read_line () in print_string l; print_float (Sys.time ()); print_newline () done with End_of_file -> ()
