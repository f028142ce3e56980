import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Command-line options for the benchmarks that start release builds.
struct ProgramBenchmarkOptions {
  private let values: [String: String]
  private let usage: String

  /// Parses pairs of an option and its value. `known` contains the accepted options.
  init(_ arguments: some Sequence<String>, known: Set<String>, usage: String) throws(InputError) {
    var values: [String: String] = [:]
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      guard known.contains(option), let value = rest.popFirst() else {
        throw InputError(text: "unknown option \(option), or its value is missing\n\(usage)")
      }
      values[option] = value
    }
    (self.values, self.usage) = (values, usage)
  }

  subscript(option: String) -> String? { values[option] }

  /// Returns the value of an option, an integer from 1 to 100,000,000.
  func number(_ option: String, _ usual: Int) throws(InputError) -> Int {
    guard let text = values[option] else { return usual }
    guard let number = Int(text), (1...100_000_000).contains(number) else {
      throw InputError(text: "\(option) must be an integer from 1 to 100000000, not \"\(text)\"")
    }
    return number
  }

  /// Returns the path of a program in the folder given by `--programs`.
  func program(_ name: String) throws(InputError) -> String {
    guard let programs = values["--programs"] else { throw InputError(text: "--programs is missing\n\(usage)") }
    let path = "\(programs)/\(name)"
    guard access(path, X_OK) == 0 else { throw InputError(text: "\(path) does not exist; run make release") }
    return path
  }

  /// Returns the folder given by `--dir`, or a temporary one.
  func folder(_ name: String) -> (folder: URL, isTemporary: Bool) {
    if let path = values["--dir"] { return (URL(filePath: path), false) }
    return (FileManager.default.temporaryDirectory.appending(path: "trendy-bench-\(name)-\(getpid())"), true)
  }

  /// Returns the Python interpreter and script of the peer, or `nil` if not given.
  func peer() throws(InputError) -> (python: String, script: String)? {
    switch (values["--python"], values["--script"]) {
    case (let python?, let script?): return (python, script)
    case (nil, nil): return nil
    default: throw InputError(text: "--python and --script must be used together\n\(usage)")
    }
  }
}
