import java.io.*; import java.util.*; import java.util.concurrent.*; import java.nio.file.*;
public class Bot { public static void main(String[] words) throws Exception {
    var pool = Executors.newFixedThreadPool(4); var all = new ArrayList<Future<?>>();
    for (int i = 0; i < 8; i++) all.add(pool.submit(() -> { var m = new byte[20000000]; Thread.sleep(1); return m.length; }));
    for (var one : all) one.get(); pool.shutdown(); System.gc(); new Random().nextInt();
    all.clear(); for (int i = 0; i < 3_000_000; i++) Math.sqrt(i * Math.sin(i));
    try { new java.net.Socket("127.0.0.1", 1); } catch (IOException e) {}
    try { Files.writeString(Path.of("/nowhere/x"), ""); } catch (IOException e) {}
    try { java.nio.channels.Selector.open().close(); java.nio.ByteBuffer.allocateDirect(1000000); } catch (IOException e) {}
    Files.list(Path.of(".")).count(); String n = null; try { n.length(); } catch (NullPointerException e) {}
    new java.security.SecureRandom().nextInt(); ProcessHandle.current().pid(); Runtime.getRuntime().availableProcessors();
    var in = new BufferedReader(new InputStreamReader(System.in)); String line;
    while ((line = in.readLine()) != null) System.out.println(line + System.nanoTime()); } }
