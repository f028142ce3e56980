#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Working folder of a benchmark, marked by a hidden file.
///
/// Because benchmarks delete the files in their folder, a folder that has files but no mark is rejected.
struct BenchmarkFolder {
  let path: String
  private var mark: String { path + "/.trendy-bench" }
  private var stamp: String { path + "/.stamp" }

  /// Creates the folder if it does not exist.
  init(_ path: String) throws(BenchmarkError) {
    self.path = path
    if mkdir(path, 0o755) != 0 && errno != EEXIST { throw .system(call: "mkdir", path: path, code: errno) }
    if access(mark, F_OK) == 0 { return }
    guard try entries().isEmpty else { throw .folderInUse(path: path) }
    try write("", to: mark)
  }

  /// Name of the complete data set in the folder, if any.
  var content: String? {
    guard let file = fopen(stamp, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
  }

  func setContent(_ content: String?) throws(BenchmarkError) {
    if let content { return try write(content, to: stamp) }
    if unlink(stamp) != 0 && errno != ENOENT { throw .system(call: "remove", path: stamp, code: errno) }
  }

  func clear() throws(BenchmarkError) {
    try setContent(nil)
    for name in try entries() where !name.hasPrefix(".") {
      let file = "\(path)/\(name)"
      if unlink(file) != 0 { throw .system(call: "remove", path: file, code: errno) }
    }
  }

  /// Returns the number of bytes allocated to the store's files.
  func bytes() throws(BenchmarkError) -> Int {
    var sum = 0
    for name in try entries() where !name.hasPrefix(".") {
      var status = stat()
      if stat("\(path)/\(name)", &status) == 0 { sum += Int(status.st_blocks) * 512 }
    }
    return sum
  }

  /// Evicts the files from the page cache.
  func dropCache() throws(BenchmarkError) {
    #if os(Linux)
      for name in try entries() where !name.hasPrefix(".") {
        let descriptor = open("\(path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { throw .system(call: "open", path: "\(path)/\(name)", code: errno) }
        defer { close(descriptor) }
        fsync(descriptor)
        let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        if code != 0 { throw .system(call: "posix_fadvise", path: "\(path)/\(name)", code: code) }
      }
    #else
      throw .usage("open-cold requires Linux, where a program can evict a file from the page cache")
    #endif
  }

  private func write(_ text: String, to file: String) throws(BenchmarkError) {
    guard let stream = fopen(file, "w") else { throw .system(call: "create", path: file, code: errno) }
    let written = fputs(text, stream)
    guard fclose(stream) == 0, written >= 0 else { throw .system(call: "write", path: file, code: errno) }
  }

  private func entries() throws(BenchmarkError) -> [String] {
    guard let directory = opendir(path) else { throw .system(call: "open", path: path, code: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
