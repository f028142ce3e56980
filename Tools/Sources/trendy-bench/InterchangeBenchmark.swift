import Foundation
import TrendyArchive
import TrendyInterchange
import TrendyModels

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `trendy-bench interchange`: speed and memory of reading other tools' files, compared with Python on the same files.
///
/// The files are generated first. Each file is read in a separate process, whose peak memory is measured.
struct InterchangeBenchmark {
  static let usage = """
    usage: trendy-bench interchange [--size SIZE] [--events N] [--programs DIR] [--python FILE --script FILE] [--dir DIR]
      SIZE        size of the Apple Health export and of Records.json, such as 4G (default 400M)
      N           number of events in the table, and of exported fixes (default 1000000)
      --programs  folder with a release build of trendy (make release); without it imports are not measured
      --python    a Python interpreter with lxml and ijson; requires --script Tools/bench-interchange-python
      --dir       a folder that keeps the files for the next run (default: a temporary one)
    """

  private let size: Int
  private let events: Int
  private let peer: (python: String, script: String)?
  private let trendy: String?
  private let folder: URL
  private let isTemporary: Bool

  init(_ arguments: [String]) throws(InputError) {
    let options = try ProgramBenchmarkOptions(
      arguments, known: ["--size", "--events", "--programs", "--python", "--script", "--dir"], usage: Self.usage)
    guard let size = Self.size(options["--size"] ?? "400M"), size >= 1 << 20 else {
      throw InputError(text: "--size must be at least 1M\n\(Self.usage)")
    }
    self.size = size
    events = try options.number("--events", 1_000_000)
    peer = try options.peer()
    trendy = options["--programs"] == nil ? nil : try options.program("trendy")
    (folder, isTemporary) = options.folder("interchange")
  }

  func run(_ report: (String) -> Void) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      if isTemporary { try? FileManager.default.removeItem(at: folder) }
    }
    let health = try HealthFile.files(in: folder, size: size)
    let records = try file("records-\(size).json") { try InterchangeFiles.writeRecords(bytes: size, to: $0) }
    let table = try file("events-\(events).csv") { try InterchangeFiles.writeTable(rows: events, to: $0) }
    for (workload, file) in [
      ("apple-health", health.file), ("apple-health", health.archive), ("google-records", records), ("csv", table),
    ] {
      report(try ours(workload, file.path))
    }
    report(try ours("gpx-out", "\(events)"))
    if let trendy { report(try imported(table, by: trendy)) }
    guard let peer else { return }
    for (workload, reader, file) in [
      ("apple-health", "lxml.iterparse", health.file), ("apple-health", "xml.sax", health.file),
      ("google-records", "ijson", records), ("csv", "csv", table),
    ] {
      let text = try Self.output(of: peer.python, [peer.script, reader, file.path])
      let fields = text.split(separator: " ").compactMap { Double($0) }
      guard fields.count == 4 else { throw InputError(text: "unexpected output of \(reader): \"\(text)\"") }
      report(
        Self.line(
          workload, "python \(reader)", bytes: try ArchiveFile(path: file.path).count, seconds: fields[0],
          processor: fields[1],
          memory: Int(fields[2]), records: Int(fields[3])))
    }
  }

  /// `trendy-bench interchange-read FORMAT FILE`: reads one file in this process. `gpx-out N` writes N fixes instead.
  static func read(_ arguments: [String]) throws -> String {
    guard arguments.count == 2 else { throw InputError(text: usage) }
    let start = ContinuousClock.now
    let (bytes, records) =
      arguments[0] == "gpx-out" ? try writeFixes(Int(arguments[1]) ?? 0) : try take(arguments[0], from: arguments[1])
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let (processor, counted) = resources(RUSAGE_SELF)
    // On Linux, `ru_maxrss` includes the peak of the parent process.
    let memory = ownPeak() ?? counted
    let reader = arguments[1].hasSuffix(".zip") ? "trendy, zip" : "trendy"
    return line(
      arguments[0], reader, bytes: bytes, seconds: seconds, processor: processor, memory: memory, records: records)
  }

  /// `trendy-bench interchange-import TRENDY STORE FILE`: duration of an import from start to exit.
  static func measureImport(_ arguments: [String]) throws -> String {
    guard arguments.count == 3 else { throw InputError(text: usage) }
    let start = ContinuousClock.now
    let answer = try output(of: arguments[0], ["--store", arguments[1], "import", arguments[2], "--json"])
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let (processor, memory) = resources(RUSAGE_CHILDREN)
    let document = try WireJSON.decode(JSONValue.self, from: Data(answer.utf8)).objectValue
    guard let count = document?["new"]?.objectValue?["event"]?.intValue else {
      throw InputError(text: "unexpected output of trendy import: \(answer.prefix(200))")
    }
    return line(
      "import csv", "trendy", bytes: try ArchiveFile(path: arguments[2]).count, seconds: seconds, processor: processor,
      memory: memory, records: Int(count))
  }
}

extension InterchangeBenchmark {
  private func file(_ name: String, _ write: (FileHandle) throws -> Void) throws -> URL {
    let url = folder.appending(path: name)
    if FileManager.default.fileExists(atPath: url.path) { return url }
    // Rename the file once it is complete, so that an interrupted run leaves no partial file.
    let part = folder.appending(path: name + ".part")
    guard FileManager.default.createFile(atPath: part.path, contents: nil) else {
      throw InputError(text: "cannot create \(part.path)")
    }
    let handle = try FileHandle(forWritingTo: part)
    try write(handle)
    try handle.close()
    try FileManager.default.moveItem(at: part, to: url)
    return url
  }

  private func ours(_ workload: String, _ what: String) throws -> String {
    try Self.output(of: Self.ownPath(), ["interchange-read", workload, what])
  }

  private func imported(_ table: URL, by trendy: String) throws -> String {
    let store = folder.appending(path: "store-\(getpid())").path
    defer { try? FileManager.default.removeItem(atPath: store) }
    _ = try Self.output(of: trendy, ["--store", store, "init"])
    return try Self.output(of: Self.ownPath(), ["interchange-import", trendy, store, table.path])
  }

  private static func ownPath() throws -> String {
    guard let own = Bundle.main.executableURL else { throw InputError(text: "the path of this executable is unknown") }
    return own.path
  }

  private static func take(_ word: String, from path: String) throws -> (bytes: Int64, records: Int) {
    guard let format = InterchangeFormat.named(word) else { throw InputError(text: "unknown format \(word)") }
    var bytes: Int64 = 0
    var records = 0
    let file = try ArchiveFile(path: path)
    var source: ExportFiles.Source = { try file.read(at: bytes, into: $0) }
    if path.hasSuffix(".zip") {
      let archive = try ZipReader(file)
      guard let entry = archive.entries.first else { throw InputError(text: "\(path) is empty") }
      var content = try archive.open(entry)
      source = { try content.read(into: $0) }
    }
    let counted: ExportFiles.Source = { buffer in
      let count = try source(buffer)
      bytes += Int64(count)
      return count
    }
    let options = ImportOptions(zone: .utc, now: Date(timeIntervalSince1970: 1_800_000_000))
    try format.read(ByteInput(from: counted), options) { record, _ in
      switch record {
      case .event, .fix: records += 1
      default: break
      }
    }
    return (bytes, records)
  }

  /// Writes one-hour drives with one fix per second, like `trendy export gpx`, and counts the bytes without storing
  /// them.
  private static func writeFixes(_ count: Int) throws -> (bytes: Int64, records: Int) {
    guard count > 0, var writer = InterchangeFormat.named("gpx")?.trackWriter() else { throw InputError(text: usage) }
    var bytes = Int64(writer.beginning().utf8.count)
    for start in stride(from: 0, to: count, by: 3600) {
      let fixes = (start..<min(start + 3600, count)).map { fix($0) }
      bytes += Int64(writer.segment(fixes, name: "drive \(start / 3600)").utf8.count)
    }
    return (bytes + Int64(writer.ending().utf8.count), count)
  }

  private static func fix(_ index: Int) -> Location {
    let second = Double(index)
    let latitude: Double = 52.09 + Double(index % 3600) * 0.00011
    let longitude: Double = 5.12 + Double(index % 977) * 0.00007
    return Location(
      coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: Double(index % 30) + 3,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + second), altitude: Double(index % 90) + 0.5,
      speed: Double(index % 36) + 0.25, course: Double(index % 360))
  }

  private static func output(of program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw InputError(text: "\(program) failed; see its output above") }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Reports rates per second of wall-clock time and of CPU time. CPU time is more reliable on a busy machine.
  private static func line(
    _ workload: String, _ reader: String, bytes: Int64, seconds: Double, processor: Double, memory: Int, records: Int
  ) -> String {
    func rounded(_ value: Double, _ places: Double) -> Double { (value * places).rounded() / places }
    return "{\"suite\":\"interchange\",\"workload\":\"\(workload)\",\"reader\":\"\(reader)\",\"bytes\":\(bytes),"
      + "\"seconds\":\(rounded(seconds, 1000)),\"cpu_seconds\":\(rounded(processor, 1000)),"
      + "\"mb_per_s\":\(rounded(Double(bytes) / 1e6 / seconds, 10)),"
      + "\"mb_per_cpu_s\":\(rounded(Double(bytes) / 1e6 / processor, 10)),\"records\":\(records),"
      + "\"records_per_cpu_s\":\(Int(Double(records) / processor)),\"peak_rss_kb\":\(memory)}"
  }

  /// Returns the number of bytes for a size such as `4G`.
  private static func size(_ text: String) -> Int? {
    let factors: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    guard let last = text.last else { return nil }
    if let factor = factors[last] { return Int(text.dropLast()).map { $0 * factor } }
    return Int(text)
  }

  /// Returns the peak memory of this process in KiB, or `nil` if the system does not report it.
  private static func ownPeak() -> Int? {
    // Only available on Linux.
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }
  }

  #if canImport(Glibc)
    private typealias Whose = __rusage_who
  #else
    private typealias Whose = Int32
  #endif

  /// Returns the CPU time in seconds and the peak memory in KiB.
  private static func resources(_ whose: Whose) -> (processor: Double, memory: Int) {
    var usage = rusage()
    #if canImport(Glibc)
      guard getrusage(__rusage_who_t(whose.rawValue), &usage) == 0 else { return (0, 0) }
    #else
      guard getrusage(whose, &usage) == 0 else { return (0, 0) }
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    let processor = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    #if canImport(Darwin)
      return (processor, usage.ru_maxrss / 1024)
    #else
      return (processor, usage.ru_maxrss)
    #endif
  }
}
