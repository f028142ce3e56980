/// Why a benchmark did not run.
package enum BenchmarkError: Error, Hashable, CustomStringConvertible {
  /// The arguments ask for nothing that can be done; the text says what is wrong.
  case usage(String)
  /// The folder holds files that no benchmark made.
  case folderInUse(path: String)
  /// A call of the system failed.
  case system(call: String, path: String, code: Int32)
  /// A process of the benchmark ended badly.
  case child(String)
  /// A row that was written is not found.
  case rowMissing(String)

  package var description: String {
    switch self {
    case .usage(let text): text
    case .folderInUse(let path):
      "\(path) holds files that no benchmark made: nothing was changed; name an empty folder, or one that is not there"
    case .system(let call, let path, let code): "\(call) \(path): \(SystemCalls.text(for: code))"
    case .child(let text): text
    case .rowMissing(let id): "row \(id) was written and is not found"
    }
  }
}
