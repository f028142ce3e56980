import StoreBenchmark

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `trendy-bench store …` measures the device's store.
@main
enum TrendyBench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--help") || arguments.contains("-h") {
      print(BenchmarkOptions.usage)
      return
    }
    do {
      guard arguments.first == "store" else {
        let found = arguments.first.map { "there is no suite \"\($0)\"" } ?? "the suite is missing"
        throw BenchmarkError.usage("\(found); there is store")
      }
      try StoreBenchmark(try BenchmarkOptions(Array(arguments.dropFirst()))).run { print($0) }
    } catch BenchmarkError.usage(let text) {
      complain("\(text)\n\(BenchmarkOptions.usage)")
      exit(2)
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  private static func complain(_ text: String) {
    let line = Array("trendy-bench: \(text)\n".utf8)
    // Where standard error is closed nobody reads it; the exit status still tells.
    _ = write(2, line, line.count)
  }
}
