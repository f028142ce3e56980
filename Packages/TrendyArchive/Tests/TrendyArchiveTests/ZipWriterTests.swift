import Foundation
import Testing
import TrendyArchive

@Suite("Written ZIP archives", .timeLimit(.minutes(5)))
struct ZipWriterTests {
  /// Contents of the archive. Streamed files are written in parts.
  static let files = [
    "a.txt": Bytes.text(200_000), "b/noise.bin": Bytes.noise(50_000), "empty.txt": [], "é/导出.xml": Array("<x/>".utf8),
    "streamed.txt": Bytes.text(300_000), "streamed-empty.txt": [],
  ]

  static func archive(modified: Int64? = nil) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var writer = ZipWriter { bytes += $0 }
    for (path, content) in files.sorted(by: { $0.key < $1.key }) {
      guard path.hasPrefix("streamed") else {
        try writer.add(path, content, modified: modified)
        continue
      }
      try writer.begin(path, modified: modified)
      for start in stride(from: 0, to: content.count, by: 7777) {
        try writer.write(Array(content[start..<min(content.count, start + 7777)]))
      }
      try writer.end()
    }
    try writer.finish()
    return bytes
  }

  @Test func `a written archive can be read and is deterministic`() throws {
    let bytes = try Self.archive()
    #expect(bytes == (try Self.archive()))
    let archive = try ZipReader(ArchiveBytes(bytes))
    #expect(try archive.files() == Self.files)
    #expect(archive.entry(at: "b/noise.bin")?.method == .stored)
    #expect(archive.entry(at: "a.txt")?.method == .deflate)
    #expect(archive.entries.allSatisfy { $0.modified == nil })
    #expect(try ZipReader(ArchiveBytes(Self.archive(modified: 1_772_323_201))).entries[0].modified == 1_772_323_201)
  }

  @Test func `an archive without entries is valid`() throws {
    var bytes: [UInt8] = []
    var writer = ZipWriter { bytes += $0 }
    try writer.finish()
    #expect(bytes.count == 22)
    #expect(try ZipReader(ArchiveBytes(bytes)).entries.isEmpty)
  }

  @Test func `an archive with 70,000 entries uses ZIP64 counts`() throws {
    var bytes: [UInt8] = []
    var writer = ZipWriter(level: 0) { bytes += $0 }
    for number in 0..<70_000 { try writer.add("\(number)", [UInt8(number & 0xFF)]) }
    try writer.finish()
    let archive = try ZipReader(ArchiveBytes(bytes))
    #expect(archive.entries.count == 70_000)
    let last = try #require(archive.entry(at: "69999"))
    #expect(try archive.contents(of: last, limit: 1) == [UInt8(69_999 & 0xFF)])
    if ArchiveTools.has("python3") {
      try ArchiveTools.inFolder { folder in
        try Data(bytes).write(to: folder.appending(path: "out.zip"))
        let script = "import zipfile; a = zipfile.ZipFile('out.zip'); print(len(a.namelist()), a.read('69999')[0])"
        let output = try ArchiveTools.run("python3", ["-c", script], in: folder).output
        #expect(String(decoding: output, as: UTF8.self) == "70000 111\n")
      }
    }
  }

  @Test func `unsafe, duplicate and overlong paths are rejected`() throws {
    var writer = ZipWriter { _ in }
    #expect(throws: ArchiveError.unsafePath("../a")) { try writer.add("../a", []) }
    try writer.add("a", [])
    #expect(throws: ArchiveError.unsupported(entry: "a", reason: "the path is already in the archive")) {
      try writer.begin("a")
    }
    let long = String(repeating: "a", count: 65_536)
    #expect(throws: ArchiveError.unsupported(entry: long, reason: "its path is longer than 65,535 bytes")) {
      try writer.add(long, [])
    }
  }

  @Test func `an error of the sink is rethrown`() throws {
    struct DiskFull: Error {}
    var writer = ZipWriter { _ in throw DiskFull() }
    #expect(throws: DiskFull.self) { try writer.add("a", [1]) }
  }

  @Test(.enabled(if: ArchiveTools.has("unzip")))
  func `the program unzip accepts the archive`() throws {
    try ArchiveTools.inFolder { folder in
      try Data(try Self.archive(modified: 1_772_323_201)).write(to: folder.appending(path: "out.zip"))
      let test = try ArchiveTools.run("unzip", ["-tq", "out.zip"], in: folder)
      #expect(test.status == 0, "\(String(decoding: test.output, as: UTF8.self))")
      let streamed = try ArchiveTools.run("unzip", ["-p", "out.zip", "streamed.txt"], in: folder).output
      #expect(streamed == Bytes.text(300_000))
    }
  }

  @Test(.enabled(if: ArchiveTools.has("python3")))
  func `Python accepts the archive and reads its times`() throws {
    try ArchiveTools.inFolder { folder in
      // 2026-03-01T00:00:01Z
      try Data(try Self.archive(modified: 1_772_323_201)).write(to: folder.appending(path: "out.zip"))
      let script = """
        zipfile = __import__('zipfile')
        archive = zipfile.ZipFile('out.zip')
        print(archive.testzip(), archive.getinfo('a.txt').date_time, len(archive.read('é/导出.xml')))
        """
      let run = try ArchiveTools.run("python3", ["-X", "utf8", "-c", script], in: folder)
      #expect(String(decoding: run.output, as: UTF8.self) == "None (2026, 3, 1, 0, 0, 0) 4\n")
    }
  }

  /// Takes minutes, and is therefore enabled only with TRENDY_LARGE=1.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["TRENDY_LARGE"] != nil))
  func `an archive of more than 4 GiB is read, by ZIP64 and by sizes modulo 4 GiB`() throws {
    let size: Int64 = 4 << 30 + 5
    var bytes: [UInt8] = []
    var writer = ZipWriter(level: 1) { bytes += $0 }
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    try writer.begin("zeros")
    for _ in 0..<4096 { try writer.write(zeros) }
    try writer.write([0, 0, 0, 0, 0])
    try writer.end()
    try writer.finish()
    func length(_ bytes: [UInt8]) throws -> Int64 {
      let archive = try ZipReader(ArchiveBytes(bytes), limits: ArchiveLimits(ratio: 1100))
      var content = try archive.open(archive.entries[0])
      var buffer = [UInt8](repeating: 1, count: 1 << 20)
      var length: Int64 = 0
      while true {
        let count = try buffer.withUnsafeMutableBytes { try content.read(into: $0) }
        if count == 0 { return length }
        length += Int64(count)
      }
    }
    #expect(try length(bytes) == size)
    // Write the size modulo 4 GiB without ZIP64, as macOS does.
    let header = try #require(bytes.indices.dropLast(3).last { Array(bytes[$0..<$0 + 4]) == [0x50, 0x4B, 1, 2] })
    let extra = header + 46 + 5
    #expect(bytes[extra] == 1)
    bytes.replaceSubrange((header + 24)..<(header + 28), with: [5, 0, 0, 0])
    bytes[extra] = 0x77
    #expect(try length(bytes) == size)
  }
}
