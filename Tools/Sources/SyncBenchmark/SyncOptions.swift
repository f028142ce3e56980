/// Command-line options for the suite `sync`.
package struct SyncOptions: Hashable, Sendable {
  package enum Workload: String, Hashable, Sendable, CaseIterable {
    case push
    case pull
    case catchUp = "catch-up"
    case bootstrap
    case empty
    case live

    /// Default number of events, or of rounds for `empty` and `live`.
    var defaultCount: Int {
      switch self {
      case .push, .pull: 10_000
      case .catchUp: 50_000
      case .bootstrap: 100_000
      case .empty: 500
      case .live: 200
      }
    }
  }

  package var workload: Workload
  /// Number of events, or of rounds for `empty` and `live`, at least 1.
  package var count: Int
  /// Path of a folder that does not exist yet and is deleted at the end.
  package var directory: String

  package static let usage = """
    usage: trendy-bench sync --workload W [--n N] [--dir DIR]
      W    \(Workload.allCases.map(\.rawValue).joined(separator: " "))
      N    number of events, or of rounds for empty and live (default depends on the workload)
      DIR  a new folder, deleted at the end (default ./bench-sync)
    The hub runs in a child process; devices have stores on disk and use HTTP on the loopback interface.
    """

  /// Parses the arguments after `sync`.
  package init(_ arguments: [String]) throws(UsageError) {
    var found: (workload: Workload?, count: Int?, directory: String) = (nil, nil, "./bench-sync")
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard ["--workload", "--n", "--dir"].contains(option) else {
        throw UsageError(text: "unknown option \(option)")
      }
      guard let value = rest.popFirst() else { throw UsageError(text: "\(option) needs a value") }
      switch option {
      case "--workload":
        guard let workload = Workload(rawValue: value) else {
          let known = Workload.allCases.map(\.rawValue).joined(separator: ", ")
          throw UsageError(text: "unknown workload \"\(value)\"; expected one of \(known)")
        }
        found.workload = workload
      case "--n":
        guard let count = Int(value), (1...10_000_000).contains(count) else {
          throw UsageError(text: "--n must be an integer from 1 to 10000000, not \"\(value)\"")
        }
        found.count = count
      default:
        guard !value.isEmpty else { throw UsageError(text: "--dir must not be empty") }
        found.directory = value
      }
    }
    guard let workload = found.workload else { throw UsageError(text: "--workload is missing") }
    self.workload = workload
    count = found.count ?? workload.defaultCount
    directory = found.directory
  }
}

package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  package var text: String

  package init(text: String) { self.text = text }

  package var description: String { text }
}
