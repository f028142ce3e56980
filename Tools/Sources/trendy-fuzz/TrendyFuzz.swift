import Fuzzing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Fuzzes the parsers of external input, for example with `trendy-fuzz --target feed --cases 1000000`. A case is
/// reproducible by its number.
@main
enum TrendyFuzz {
  static let usage = """
    usage: trendy-fuzz [--target NAME] [--cases N] [--from N]

      --target NAME  \(Fuzzer.Target.allCases.map(\.rawValue).joined(separator: ", ")) (default: all)
      --cases N      number of cases per target (default 10000)
      --from N       number of the first case (default 1); use it to repeat a failed case

    Exit status: 0 no violation, 1 a violation by the printed case, 2 invalid options. The number of a case that
    crashes the program is printed as well.
    """

  static func main() async {
    var targets = Fuzzer.Target.allCases
    var (cases, first) = (UInt64(10_000), UInt64(1))
    var arguments = CommandLine.arguments.dropFirst()
    while let option = arguments.popFirst() {
      if option == "--help" { return print(usage) }
      let value = arguments.popFirst() ?? ""
      switch option {
      case "--target":
        guard let target = Fuzzer.Target(rawValue: value) else { exitWithUsage("unknown target \"\(value)\"") }
        targets = [target]
      case "--cases": cases = number(value, of: option)
      case "--from": first = number(value, of: option)
      default: exitWithUsage("unknown option \(option)")
      }
    }
    Crash.report()
    for target in targets {
      let start = ContinuousClock.now
      do {
        let outcomes = try await Fuzzer(target).run(first..<first + cases) { Crash.note($0, target) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
          "\(target.rawValue): \(cases) cases in \(Int(seconds)) s, \(Int(Double(cases) / seconds)) per second, no violations"
        )
        for (outcome, count) in outcomes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(12) {
          print("  \(count) \(outcome)")
        }
        // Flush, because a crash in the next target would discard buffered output.
        fflush(nil)
      } catch {
        print("violation: \(error)")
        exit(1)
      }
    }
  }

  /// Parses a number up to 2^60, so that the sum of two numbers cannot overflow.
  private static func number(_ text: String, of option: String) -> UInt64 {
    guard let number = UInt64(text), number <= 1 << 60 else {
      exitWithUsage("\(option): expected a number, found \"\(text)\"")
    }
    return number
  }

  private static func exitWithUsage(_ message: String) -> Never {
    print("trendy-fuzz: \(message)\n\(usage)")
    exit(2)
  }
}

/// Signal handlers that report the number of the case that crashed the program.
enum Crash {
  // Written by the task that runs the cases, read by the signal handler.
  nonisolated(unsafe) private static var number: UInt64 = 0
  nonisolated(unsafe) private static var target: StaticString = ""

  static func note(_ number: UInt64, _ target: Fuzzer.Target) {
    self.number = number
    self.target =
      switch target {
      case .http: "http"
      case .json: "json"
      case .feed: "feed"
      case .snapshot: "snapshot"
      case .push: "push"
      case .query: "query"
      case .tracks: "tracks"
      case .store: "store"
      }
  }

  static func report() {
    for name in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      signal(name) { name in
        Crash.write("violation: crash in case ")
        Crash.write(Crash.number)
        Crash.write(" of ")
        Crash.write(Crash.target)
        Crash.write("\n")
        signal(name, SIG_DFL)
        raise(name)
      }
    }
  }

  /// Async-signal-safe: does not allocate.
  private static func write(_ text: StaticString) { _ = Self.put(1, text.utf8Start, text.utf8CodeUnitCount) }

  private static func write(_ value: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (rest, place) = (value, 20)
      repeat {
        place -= 1
        digits[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      _ = Self.put(1, digits.baseAddress! + place, 20 - place)
    }
  }

  private static let put: @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int = {
    #if canImport(Darwin)
      Darwin.write($0, $1, $2)
    #elseif canImport(Musl)
      Musl.write($0, $1, $2)
    #else
      Glibc.write($0, $1!, $2)
    #endif
  }
}
