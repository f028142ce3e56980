import Foundation
import TrendyArchive
import TrendyInterchange

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `trendy-bench interchange --health SIZE`: how fast an export of Apple Health is read, and how much memory it takes.
///
/// The file is generated first, then read by processes of their own: by ours as it is and in a ZIP archive, and by Python's `lxml.iterparse` and
/// `xml.sax`, which do no more than add up the steps.
struct HealthBenchmark {
  static let usage = "usage: trendy-bench interchange --health SIZE [--dir DIR]      SIZE such as 500M or 4G"

  private let size: Int
  private let folder: URL
  private let isKept: Bool

  init(_ arguments: [String]) throws {
    var size: Int?
    var folder: String?
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--health": size = rest.popFirst().flatMap { Self.size($0) }
      case "--dir": folder = rest.popFirst()
      default: throw InputError(text: "there is no option \"\(option)\"\n\(Self.usage)")
      }
    }
    guard let size, size >= 1 << 20 else { throw InputError(text: "--health takes a size from 1M on\n\(Self.usage)") }
    self.size = size
    isKept = folder != nil
    self.folder = URL(
      filePath: folder ?? FileManager.default.temporaryDirectory.appending(path: "health-\(getpid())").path)
  }

  /// `trendy-bench interchange-read FILE`: one reading, in a process of its own.
  static func read(_ arguments: [String]) throws -> String {
    guard arguments.count == 1 else { throw InputError(text: usage) }
    let path = arguments[0]
    let start = ContinuousClock.now
    var bytes: Int64 = 0
    var events = 0
    let file = try ArchiveFile(path: path)
    let summary: HealthExport.Summary
    if path.hasSuffix(".zip") {
      let archive = try ZipReader(file)
      guard let entry = archive.entries.first else { throw InputError(text: "\(path) is empty") }
      var content = try archive.open(entry)
      summary = try HealthExport.read({ buffer in
        let count = try content.read(into: buffer)
        bytes += Int64(count)
        return count
      }) { _ in events += 1 }
    } else {
      summary = try HealthExport.read({ buffer in
        let count = try file.read(at: bytes, into: buffer)
        bytes += Int64(count)
        return count
      }) { _ in events += 1 }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let (processor, memory) = resources()
    return line(
      path.hasSuffix(".zip") ? "trendy, zip" : "trendy", bytes: bytes, seconds: seconds, processor: processor,
      memory: memory,
      more: ",\"records\":\(summary.elements),\"events\":\(events)")
  }

  func run(_ report: (String) -> Void) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      if !isKept { try? FileManager.default.removeItem(at: folder) }  // a temporary folder that stays harms nobody
    }
    let file = folder.appending(path: "export-\(size).xml")
    let archive = folder.appending(path: "export-\(size).zip")
    if !FileManager.default.fileExists(atPath: archive.path) { try generate(file, archive) }
    guard let own = Bundle.main.executableURL else { throw InputError(text: "this program has no file") }
    report(try output(of: own, ["interchange-read", file.path]))
    report(try output(of: own, ["interchange-read", archive.path]))
    for (name, script) in [("lxml.iterparse", Self.iterparse), ("xml.sax", Self.sax)] {
      // The system's Python first: packages of the system are its own.
      let fields = ["/usr/bin/python3", "python3"].lazy.map { python in
        let text = try? output(of: URL(filePath: "/usr/bin/env"), [python, "-c", script, file.path])  // told below
        return (text ?? "").split(separator: " ").compactMap { Double($0) }
      }.first { $0.count == 4 }
      guard let fields else {
        report("{\"suite\":\"interchange\",\"workload\":\"health\",\"reader\":\"\(name)\",\"missing\":true}")
        continue
      }
      report(
        Self.line(
          name, bytes: try fileSize(file), seconds: fields[0], processor: fields[1], memory: Int(fields[2]),
          more: ",\"records\":\(Int(fields[3]))"))
    }
  }

  private func generate(_ file: URL, _ archive: URL) throws {
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw InputError(text: "\(file.path) cannot be made")
    }
    let handle = try FileHandle(forWritingTo: file)
    var generator = HealthFile(size: size, to: handle)
    try generator.write()
    try handle.close()
    guard FileManager.default.createFile(atPath: archive.path, contents: nil) else {
      throw InputError(text: "\(archive.path) cannot be made")
    }
    let target = try FileHandle(forWritingTo: archive)
    var writer = ZipWriter { try target.write(contentsOf: $0) }
    try writer.begin("apple_health_export/export.xml")
    let source = try FileHandle(forReadingFrom: file)
    while let bytes = try source.read(upToCount: 1 << 20), !bytes.isEmpty { try writer.write(Array(bytes)) }
    try writer.end()
    try writer.finish()
    try target.close()
  }

  private func fileSize(_ file: URL) throws -> Int64 { try ArchiveFile(path: file.path).count }

  private func output(of program: URL, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw InputError(text: "\(program.path) \(arguments) failed") }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Rates are megabytes for each second on the clock and for each second of the processor: where others work on the machine, the second tells.
  private static func line(
    _ reader: String, bytes: Int64, seconds: Double, processor: Double, memory: Int, more: String
  ) -> String {
    func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    return "{\"suite\":\"interchange\",\"workload\":\"health\",\"reader\":\"\(reader)\",\"bytes\":\(bytes),"
      + "\"seconds\":\((seconds * 1000).rounded() / 1000),\"mb_per_s\":\(tenths(Double(bytes) / 1e6 / seconds)),"
      + "\"cpu_seconds\":\((processor * 1000).rounded() / 1000),"
      + "\"mb_per_cpu_s\":\(tenths(Double(bytes) / 1e6 / processor)),\"peak_rss_kb\":\(memory)\(more)}"
  }

  /// Bytes of a size such as `4G`.
  private static func size(_ text: String) -> Int? {
    let factors: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    guard let last = text.last else { return nil }
    if let factor = factors[last] { return Int(text.dropLast()).map { $0 * factor } }
    return Int(text)
  }

  /// Seconds of the processor, and kilobytes at the peak.
  private static func resources() -> (processor: Double, memory: Int) {
    var usage = rusage()
    #if canImport(Glibc)
      let whose = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
      let whose = RUSAGE_SELF
    #endif
    guard getrusage(whose, &usage) == 0 else { return (0, 0) }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    let processor = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    #if canImport(Darwin)
      return (processor, usage.ru_maxrss / 1024)
    #else
      return (processor, usage.ru_maxrss)
    #endif
  }

  // As importers are written with them: elements are let go as soon as they are read.
  private static let iterparse = """
    sys, time, resource = map(__import__, ('sys', 'time', 'resource'))
    etree = __import__('lxml.etree', fromlist=['iterparse'])
    start = time.monotonic(); records = 0; steps = 0.0
    for _, element in etree.iterparse(sys.argv[1], events=('end',), tag=('Record', 'Workout')):
        records += 1
        if element.get('type') == 'HKQuantityTypeIdentifierStepCount': steps += float(element.get('value'))
        element.clear()
        while element.getprevious() is not None: del element.getparent()[0]
    print(time.monotonic() - start, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, records)
    """

  private static let sax = """
    sys, time, resource = map(__import__, ('sys', 'time', 'resource'))
    sax = __import__('xml.sax', fromlist=['parse', 'ContentHandler'])
    class Handler(sax.ContentHandler):
        records = 0; steps = 0.0
        def startElement(self, name, attributes):
            if name == 'Record' or name == 'Workout':
                self.records += 1
                if attributes.get('type') == 'HKQuantityTypeIdentifierStepCount': self.steps += float(attributes['value'])
    start = time.monotonic(); handler = Handler(); sax.parse(sys.argv[1], handler)
    print(time.monotonic() - start, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, handler.records)
    """
}
