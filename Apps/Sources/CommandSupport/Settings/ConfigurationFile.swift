#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Configuration file, `$XDG_CONFIG_HOME/trendy/config`. Its lines have the form `key = value`, with comments after
/// `#`.
public struct ConfigurationFile: Sendable {
  /// Valid value with its position in the file.
  public struct Entry: Hashable, Sendable {
    /// Value in canonical form.
    public let value: String
    /// Line number, from 1.
    public let line: Int
  }

  public let path: String
  /// Whether the file exists. If not, all settings have their defaults.
  public private(set) var exists = false
  /// Valid values, keyed by setting.
  public private(set) var entries: [String: Entry] = [:]
  /// Whether the whole file was read and is valid UTF-8, so that rewriting it loses no data.
  private(set) var isWhole = true
  /// Errors in the file in order of line, or an empty array if the file is valid.
  public var problems: [CommandError] { findings.map(\.error) }
  private(set) var findings: [ConfigurationProblem] = []
  var lines: [ConfigurationLine] = []
  /// Line break after each line, which is empty if the last line has none.
  var lineEnds: [String] = []

  /// Maximum size of the file in bytes.
  static let largest = 1 << 20

  /// Reads the user's configuration file. If it does not exist, no settings are set.
  public init(environment: [String: String]) {
    self.init(path: Self.path(in: environment))
  }

  /// Reads a configuration file. ``problems`` contains any errors.
  public init(path: String) {
    self.path = path
    do throws(CommandError) {
      guard let bytes = try Self.read(path) else { return }
      exists = true
      parse(bytes)
    } catch {
      exists = true
      isWhole = false
      findings = [ConfigurationProblem(error)]
    }
  }

  /// Parses `bytes` as the content of the file at `path`.
  init(path: String, bytes: [UInt8]) {
    self.path = path
    exists = true
    parse(bytes)
  }

  /// Returns the path of the user's configuration file. The XDG Base Directory specification requires a relative
  /// `XDG_CONFIG_HOME` to be ignored.
  public static func path(in environment: [String: String]) -> String {
    if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") { return "\(home)/trendy/config" }
    return "\(HomeFolder.path(in: environment))/.config/trendy/config"
  }

  private static func read(_ path: String) throws(CommandError) -> [UInt8]? {
    // `O_NONBLOCK` prevents the call from blocking if the path is a FIFO.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unreadable(path, String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw unreadable(path, "it is not a file")
    }
    guard status.st_size <= largest else { throw unreadable(path, "it is larger than 1 MiB") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + count, $0.count - count, off_t(count))
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
      if got == 0 { break }
      count += got
    }
    return Array(bytes[..<count])
  }

  private static func unreadable(_ path: String, _ reason: String) -> CommandError {
    CommandError(
      "Cannot read \(path): \(reason)", hint: "This is the configuration file. Correct or delete it.",
      exit: .configuration
    )
  }
}

// MARK: Parsing

extension ConfigurationFile {
  private mutating func parse(_ bytes: [UInt8]) {
    // Skip a byte order mark, which would otherwise become part of the first key.
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0xA)
      var line = rest[..<(end ?? rest.endIndex)]
      rest = end.map { rest[($0 + 1)...] } ?? []
      let hasReturn = end != nil && line.last == 0xD
      if hasReturn { line.removeLast() }
      lineEnds.append(end == nil ? "" : hasReturn ? "\r\n" : "\n")
      if let text = String(validating: line, as: UTF8.self) {
        lines.append(ConfigurationLine(text))
      } else {
        lines.append(ConfigurationLine(String(decoding: line, as: UTF8.self)))
        isWhole = false
        findings.append(ConfigurationProblem(problem(lines.count, "the text is not UTF-8", nil)))
        continue
      }
      read(lines[lines.count - 1], line: lines.count)
    }
  }

  private mutating func read(_ text: ConfigurationLine, line: Int) {
    func add(_ message: String, _ hint: String?, of key: String) {
      findings.append(ConfigurationProblem(problem(line, message, hint), key: key))
    }
    switch text.content {
    case .none: break
    case .invalid(let what): add(what, "Use lines such as: list_limit = 20", of: text.firstWord)
    case .assignment(let key, let text):
      do throws(CommandError) {
        let spec = try Setting.named(key)
        if let refusal = spec.refusalElsewhere { throw refusal }
        if let first = entries[key] {
          add("'\(key)' is set twice, first on line \(first.line)", nil, of: key)
          return
        }
        entries[key] = Entry(value: try spec.valueForFile(text), line: line)
      } catch {
        add(error.message, error.hint, of: key)
      }
    }
  }

  private func problem(_ line: Int, _ message: String, _ hint: String?) -> CommandError {
    CommandError("\(path):\(line): \(message)", hint: hint, exit: .configuration)
  }
}

/// Error in the configuration file or in an environment variable.
struct ConfigurationProblem {
  let error: CommandError
  /// Whether the error prevents commands from running. If they ran, they might store or send data somewhere the user
  /// did not choose.
  let isFatal: Bool

  /// `key` is the key as written, possibly misspelled, or `nil` if no key could be parsed.
  init(_ error: CommandError, key: String? = nil) {
    self.error = error
    let meant = key.flatMap { Suggestion.nearest(to: $0, among: Setting.keys) ?? $0 }
    isFatal = key == nil || Setting.deciding.contains { $0.key == meant }
  }
}
