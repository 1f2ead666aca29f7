package main
import ("bufio"; "fmt"; "math/rand"; "net"; "os"; "runtime"; "sync"; "time")
func main() {
    var group sync.WaitGroup
    for i := 0; i < 20; i++ { group.Add(1); go func() { defer group.Done(); m := make([]byte, 10000000);
        for j := range m { m[j] = 1 }; time.Sleep(time.Millisecond) }() }
    group.Wait(); runtime.GC()
    os.ReadFile("bot.go"); net.Dial("tcp", "127.0.0.1:1"); os.Create("/nowhere/x"); os.ReadDir(".")
    lines := bufio.NewScanner(os.Stdin)
    for lines.Scan() { fmt.Println(lines.Text(), rand.Int(), time.Now()) } }
