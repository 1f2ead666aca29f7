using System; using System.IO; using System.Threading; using System.Threading.Tasks; using System.Linq;
class Bot { static void Main() {
    Task.WaitAll(Enumerable.Range(0, 8).Select(_ => Task.Run(() => { var m = new byte[20000000]; Thread.Sleep(1); })).ToArray());
    GC.Collect(); try { File.WriteAllText("/nowhere/x", ""); } catch (Exception) {}
    try { File.ReadAllText("bot.cs"); new System.Net.Sockets.TcpClient("127.0.0.1", 1); } catch (Exception) {}
    var dice = new Random(); string line; var watch = System.Diagnostics.Stopwatch.StartNew();
    while ((line = Console.ReadLine()) != null) { Console.WriteLine(line + dice.Next() + watch.Elapsed); Console.Out.Flush(); } } }
