/// What the command line asks for.
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
    // What the benchmark starts itself for.
    case childFill = "child-fill"
    case childInsert = "child-insert"
    case childOpen = "child-open"
    case childCrash = "child-crash"

    /// What a person may ask for.
    package static var offered: [String] { allCases.map(\.rawValue).filter { !$0.hasPrefix("child-") } }
  }

  package var workload: Workload
  /// Rows, above 0.
  package var count = 100_000
  package var directory = "./bench-data"
  /// How often the workload does what it measures; `nil` for its usual number.
  package var operations: Int?
  /// 1 to 64.
  package var processes = 2
  /// The rows that a child inserts.
  package var rows = 0..<0

  package static let usage = """
    usage: trendy-bench store --workload W [--n N] [--dir DIR] [--ops K] [--procs P]
      W    \(Workload.offered.joined(separator: " "))
      N    rows, 100000 unless said
      DIR  an empty folder or one of earlier runs, ./bench-data unless said; what is in it is replaced
      K    how often; each workload has its usual number
      P    processes of insert-durable-mp, 1 to 64, 2 unless said
    """

  /// - Parameter arguments: what follows `store`.
  package init(_ arguments: [String]) throws(BenchmarkError) {
    var workload: Workload?
    var rest = arguments[...]
    var rows = 0..<0
    self.workload = .generate
    while let option = rest.popFirst() {
      guard option.hasPrefix("--") else { throw .usage("\"\(option)\" is no option: they begin with --") }
      guard ["--workload", "--n", "--dir", "--ops", "--procs", "--rows"].contains(option) else {
        throw .usage("there is no option \(option)")
      }
      guard let value = rest.popFirst() else { throw .usage("\(option) needs a value") }
      switch option {
      case "--workload":
        workload = Workload(rawValue: value)
        if workload == nil {
          throw .usage("there is no workload \"\(value)\"; there are \(Workload.offered.joined(separator: ", "))")
        }
      // As many as the span has milliseconds per row without a sum beyond 64 bits.
      case "--n": count = try Self.number(option, value, in: 1...100_000_000)
      case "--dir": directory = try Self.folder(value)
      case "--ops": operations = try Self.number(option, value, in: 1...1_000_000_000)
      case "--procs": processes = try Self.number(option, value, in: 1...64)
      default:
        let ends = value.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2 else { throw .usage("--rows takes FROM-TO, not \"\(value)\"") }
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
      throw .usage("\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return number
  }

  /// Without a slash at its end.
  private static func folder(_ text: String) throws(BenchmarkError) -> String {
    var path = text
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty else { throw .usage("--dir takes a folder, not an empty text") }
    return path
  }

  /// The arguments that ask for the same rows and folder, and for `workload`.
  func arguments(for workload: Workload, rows: Range<Int>? = nil) -> [String] {
    let basic = ["store", "--workload", workload.rawValue, "--n", "\(count)", "--dir", directory]
    return rows.map { basic + ["--rows", "\($0.lowerBound)-\($0.upperBound)"] } ?? basic
  }
}
