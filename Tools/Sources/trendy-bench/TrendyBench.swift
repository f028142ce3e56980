import Foundation
import StoreBenchmark

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs a benchmark suite: `store` (the device's store), `sync` (devices and a hub), `insights` (statistics), `pages`
/// (requests made by the hub's pages), `interchange` (readers and writers of other formats), `cli` (the commands of
/// `trendy`), `geodesic` (distances), `trips` (speed of trip detection), or `worlds` and `tracks` (accuracy of trip
/// detection).
@main
enum TrendyBench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--help") || arguments.contains("-h") {
      print(
        "\(BenchmarkOptions.usage)\n\(CommandLineBenchmark.usage)\n\(GeodesicBenchmark.usage)\n"
          + "\(InsightsBenchmark.usage)\n\(InsightsCheck.usage)\n\(InterchangeBenchmark.usage)\n\(RecurrenceCheck.usage)\n"
          + "\(PagesBenchmark.usage)\n\(TripsBenchmark.usage)\n\(TracksBenchmark.usage)\n\(WorldsBenchmark.usage)"
      )
      return
    }
    do {
      let rest = Array(arguments.dropFirst())
      switch arguments.first {
      case "store": try StoreBenchmark(try BenchmarkOptions(rest)).run { print($0) }
      case "geodesic":
        guard rest.count == 1 else { throw InputError(text: GeodesicBenchmark.usage) }
        print(try GeodesicBenchmark(file: rest[0]).run())
      case "trips": print(try TripsBenchmark(rest).run())
      case "insights" where rest.first == "--check": print(try InsightsCheck(rest).run())
      case "insights": try InsightsBenchmark(rest).run { print($0) }
      case "insights-fill": try InsightsBenchmark.fill(rest)
      case "interchange" where rest.first == "--rrule": print(try RecurrenceCheck(rest).run { printError($0) })
      case "interchange": try InterchangeBenchmark(rest).run { print($0) }
      case "interchange-read": print(try InterchangeBenchmark.read(rest))
      case "interchange-import": print(try InterchangeBenchmark.measureImport(rest))
      case "tracks": try TracksBenchmark(rest).run { print($0) }
      case "worlds": try WorldsBenchmark(rest).run { print($0) }
      case "pages": try PagesBenchmark(rest).run { print($0) }
      case "cli": try CommandLineBenchmark(rest).run { print($0) }
      case "cli-fill": try CommandLineBenchmark.fill(rest)
      case "sync": try becomeSync(rest)
      case let other:
        let found = other.map { "unknown suite \"\($0)\"" } ?? "the suite is missing"
        throw BenchmarkError.usage(
          "\(found); expected store, sync, cli, insights, pages, interchange, geodesic, trips, tracks or worlds")
      }
    } catch BenchmarkError.usage(let text) {
      printError("\(text)\n\(BenchmarkOptions.usage)")
      exit(2)
    } catch let error as InputError {
      printError(error.text)
      exit(2)
    } catch {
      printError("\(error)")
      exit(1)
    }
  }

  /// Replaces this process with `trendy-bench-sync`, which is a separate executable because its libraries would slow
  /// the start of the other suites.
  private static func becomeSync(_ arguments: [String]) throws {
    guard let own = Bundle.main.executableURL else { throw InputError(text: "the path of this executable is unknown") }
    let program = own.deletingLastPathComponent().appending(path: "trendy-bench-sync").path
    var texts = ([program] + arguments).map { strdup($0) } + [nil]
    execv(program, &texts)
    throw InputError(text: "\(program) does not exist; build it with make bench-sync")
  }

  private static func printError(_ text: String) {
    let line = Array("trendy-bench: \(text)\n".utf8)
    // If standard error is closed, the exit status still reports the failure.
    _ = write(2, line, line.count)
  }
}
