/// Command-line options for the suite `store`.
package struct BenchmarkOptions: Hashable, Sendable {
  package enum Workload: String, Hashable, Sendable, CaseIterable {
    case insertDurable = "insert-durable"
    case insertDurableInProcesses = "insert-durable-mp"
    case insertBatch = "insert-batch"
    case bulk
    case get
    case range
    case rangeRows = "range-rows"
    case typeRange = "type-range"
    case countByDay = "count-by-day"
    case open
    case openCold = "open-cold"
    case recover
    case update
    case delete
    case generate = "gen"
    case verify
    // Only used in child processes.
    case childFill = "child-fill"
    case childInsert = "child-insert"
    case childOpen = "child-open"
    case childCrash = "child-crash"

    /// Names of the workloads that can be selected on the command line.
    package static var offered: [String] { allCases.map(\.rawValue).filter { !$0.hasPrefix("child-") } }
  }

  package var workload: Workload
  /// Number of rows, at least 1.
  package var count = 100_000
  package var directory = "./bench-data"
  /// Number of measured operations, or `nil` for the workload's default.
  package var operations: Int?
  /// Number of concurrent writers, 1 to 64.
  package var processes = 2
  /// Rows that a child process inserts.
  package var rows = 0..<0

  package static let usage = """
    usage: trendy-bench store --workload W [--n N] [--dir DIR] [--ops K] [--procs P]
      W    \(Workload.offered.joined(separator: " "))
      N    number of rows (default 100000)
      DIR  an empty folder or one of a previous run, whose content is replaced (default ./bench-data)
      K    number of operations (default depends on the workload)
      P    number of processes of insert-durable-mp, 1 to 64 (default 2)
    """

  /// Parses the arguments after `store`.
  package init(_ arguments: [String]) throws(BenchmarkError) {
    var workload: Workload?
    var rest = arguments[...]
    var rows = 0..<0
    self.workload = .generate
    while let option = rest.popFirst() {
      guard option.hasPrefix("--") else { throw .usage("unexpected argument \"\(option)\"; options start with --") }
      guard ["--workload", "--n", "--dir", "--ops", "--procs", "--rows"].contains(option) else {
        throw .usage("unknown option \(option)")
      }
      guard let value = rest.popFirst() else { throw .usage("\(option) needs a value") }
      switch option {
      case "--workload":
        workload = Workload(rawValue: value)
        if workload == nil {
          throw .usage("unknown workload \"\(value)\"; expected one of \(Workload.offered.joined(separator: ", "))")
        }
      // Limit the number to keep the product of index and span below 2^63.
      case "--n": count = try Self.number(option, value, in: 1...100_000_000)
      case "--dir": directory = try Self.folder(value)
      case "--ops": operations = try Self.number(option, value, in: 1...1_000_000_000)
      case "--procs": processes = try Self.number(option, value, in: 1...64)
      default:
        let ends = value.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2 else { throw .usage("--rows must be FROM-TO, not \"\(value)\"") }
        let lower = try Self.number(option, ends[0], in: 0...200_000_000)
        rows = lower..<(try Self.number(option, ends[1], in: lower...200_000_000))
      }
    }
    guard let workload else { throw .usage("--workload is missing") }
    self.workload = workload
    self.rows = rows
  }

  private static func number(
    _ option: String, _ text: String, in range: ClosedRange<Int>
  ) throws(BenchmarkError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw .usage("\(option) must be an integer from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return number
  }

  /// Returns the path without trailing slashes.
  private static func folder(_ text: String) throws(BenchmarkError) -> String {
    var path = text
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty else { throw .usage("--dir must not be empty") }
    return path
  }

  /// Returns the arguments that start `workload` with the same rows and folder.
  func arguments(for workload: Workload, rows: Range<Int>? = nil) -> [String] {
    let basic = ["store", "--workload", workload.rawValue, "--n", "\(count)", "--dir", directory]
    return rows.map { basic + ["--rows", "\($0.lowerBound)-\($0.upperBound)"] } ?? basic
  }
}
