#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension ConfigurationFile {
  /// Sets a value in the existing line or in a new line at the end. If `value` is `nil`, removes all lines with the
  /// key. Comments and other lines are preserved. `value` must be canonical.
  public mutating func set(_ key: String, to value: String?) {
    let places = lines.indices.filter { index in
      if case .assignment(key, _) = lines[index].content { true } else { false }
    }
    if let value, let place = places.first {
      lines[place] = lines[place].replacing(value)
    } else if let value {
      let end = lineEnds.first { !$0.isEmpty } ?? "\n"
      if let last = lineEnds.last, last.isEmpty { lineEnds[lineEnds.count - 1] = end }
      lines.append(ConfigurationLine(key: key, value: value))
      lineEnds.append(end)
    }
    // Remove other lines with the key: they are duplicates or, if the first line was removed, would take effect
    // instead.
    for place in places.dropFirst(value == nil ? 0 : 1).reversed() {
      lines.remove(at: place)
      lineEnds.remove(at: place)
    }
    self = ConfigurationFile(path: path, bytes: bytes)
  }

  /// Replaces the content with a comment that lists all settings as an introduction for the user.
  public mutating func explain() {
    let own = Setting.all.filter { !$0.isInRecordAlone }
    let keys = own.map { "# \($0.key) = \($0.standard ?? "...")\n#   \($0.help)\n" }.joined()
    let text = "# Settings of trendy and trendyd: key = value. Remove a '#' to set one.\n#\n\(keys)"
    self = ConfigurationFile(path: path, bytes: Array(text.utf8))
  }

  var bytes: [UInt8] { zip(lines, lineEnds).flatMap { Array(($0.text + $1).utf8) } }

  /// Changes the file under a lock and replaces it atomically. If `path` is a symbolic link, its target is replaced.
  /// - Returns: new content of the file.
  /// - Throws: ``CommandError`` with exit 73 or 74 if the file cannot be written, or an error thrown by `change`. In
  ///   either case, the file is unchanged.
  @discardableResult
  public static func update(
    _ path: String, _ change: (inout ConfigurationFile) throws(CommandError) -> Void
  ) throws(CommandError) -> ConfigurationFile {
    let path = SymbolicLink.target(of: path)
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    try makeFolder(folder)
    let lock = open(folder, O_RDONLY | O_CLOEXEC)
    guard lock >= 0 else { throw unwritable(path) }
    // Closing the descriptor releases the lock.
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 { guard errno == EINTR else { throw unwritable(path) } }
    var file = ConfigurationFile(path: path)
    if !file.isWhole, let problem = file.problems.first { throw problem }
    try change(&file)
    try file.replace()
    return file
  }

  private static func makeFolder(_ folder: String) throws(CommandError) {
    var made = ""
    for part in folder.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST || access(made, X_OK) == 0 else {
        throw unwritable(made)
      }
    }
  }

  private func replace() throws(CommandError) {
    var old = stat()
    let mode = stat(path, &old) == 0 ? old.st_mode & 0o7777 : 0o600
    let new = "\(path).new-\(getpid())"
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.unwritable(path) }
    let code = Console.write(String(decoding: bytes, as: UTF8.self), to: descriptor)
    let isWhole = code == 0 && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
    let reason = code == 0 ? errno : code
    close(descriptor)
    guard isWhole, rename(new, path) == 0 else {
      let code = isWhole ? errno : reason
      unlink(new)
      errno = code
      throw Self.unwritable(path)
    }
  }

  private static func unwritable(_ path: String) -> CommandError {
    CommandError(cannot: "write", path, code: errno, hint: "The settings are unchanged.")
  }
}
