import Foundation
import SyncBenchmark

/// The suite `sync` of `trendy-bench`, and the hub that it measures.
///
/// This suite is a separate executable, because linking the network libraries would slow the start of the other suites
/// by milliseconds.
@main
enum TrendyBenchSync {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.count == 2, arguments[0] == "hub" { return try await HubChild.run(directory: arguments[1]) }
      if arguments.contains("--help") || arguments.contains("-h") { return print(SyncOptions.usage) }
      guard let program = Bundle.main.executablePath else { throw UsageError(text: "this program has no file") }
      print(try await SyncBenchmark(try SyncOptions(arguments), program: program).run())
    } catch let error as UsageError {
      printError("\(error)\n\(SyncOptions.usage)")
      exit(2)
    } catch {
      printError("\(error)")
      exit(1)
    }
  }

  private static func printError(_ text: String) {
    FileHandle.standardError.write(Data("trendy-bench sync: \(text)\n".utf8))
  }
}
