package enum BenchmarkError: Error, Hashable, CustomStringConvertible {
  case usage(String)
  /// The folder contains files that were not created by a benchmark.
  case folderInUse(path: String)
  /// A system call failed. `code` is `errno`.
  case system(call: String, path: String, code: Int32)
  case child(String)
  /// A row that was written could not be read.
  case rowMissing(String)

  package var description: String {
    switch self {
    case .usage(let text): text
    case .folderInUse(let path):
      "\(path) contains files that are not from a benchmark; use an empty or a new folder (nothing was changed)"
    case .system(let call, let path, let code): "\(call) \(path): \(SystemCalls.text(for: code))"
    case .child(let text): text
    case .rowMissing(let id): "row \(id) was written but not found"
    }
  }
}
