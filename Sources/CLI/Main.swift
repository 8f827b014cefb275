@main
enum Main {
    static func main() {
        print("usage: swiftlet COMMAND")
    }
}
