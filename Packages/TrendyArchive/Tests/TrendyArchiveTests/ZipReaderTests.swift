import Foundation
import Testing
import TrendyArchive

@Suite("ZIP archives", .timeLimit(.minutes(5)))
struct ZipReaderTests {
  static func damaged(_ reason: String, _ entry: String? = "a.txt") -> ArchiveError {
    .damaged(entry: entry, reason: reason)
  }

  static func read(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) throws -> [String: [UInt8]] {
    try ZipReader(ArchiveBytes(bytes), limits: limits).files()
  }

  @Test(
    "stored and deflated entries are read, streamed or not", arguments: [0, 8] as [UInt16], [0, 8] as [UInt16])
  func methods(method: UInt16, flags: UInt16) throws {
    var fixture = ZipFixture([.init("a.txt", "alpha"), .init("b/c.txt", String(repeating: "beta ", count: 9000))])
    fixture.comment = Array("made by hand".utf8)
    for index in fixture.entries.indices {
      fixture.entries[index].method = method
      fixture.entries[index].flags = flags
    }
    let archive = try ZipReader(ArchiveBytes(fixture.bytes))
    #expect(archive.entries.map(\.path) == ["a.txt", "b/c.txt"])
    #expect(archive.entries.map(\.size) == [5, 45_000])
    #expect(archive.entry(at: "b/c.txt")?.name == "c.txt")
    #expect(archive.entry(at: "b") == nil)
    for step in [1, 10, 100_000] {
      let files = try archive.files(step: step)
      #expect(files["a.txt"] == Array("alpha".utf8))
      #expect(files["b/c.txt"]?.count == 45_000)
    }
    let entry = try #require(archive.entry(at: "a.txt"))
    #expect(try archive.contents(of: entry, limit: 5) == Array("alpha".utf8))
    #expect(throws: ArchiveError.exceedsLimit(entry: "a.txt", reason: "it contains more than 4 bytes")) {
      try archive.contents(of: entry, limit: 4)
    }
  }

  @Test func `an archive without entries is read, and other files are rejected`() throws {
    #expect(try ZipReader(ArchiveBytes(ZipFixture([]).bytes)).entries.isEmpty)
    for other in ["", "P", "<HealthData>", String(repeating: "x", count: 70_000)] {
      #expect(throws: ArchiveError.notAnArchive(expected: "a ZIP archive")) { try Self.read(Array(other.utf8)) }
    }
  }

  @Test func `an archive after a self-extracting program is read`() throws {
    var fixture = ZipFixture([.init("a.txt"), .init("b.txt")])
    fixture.prefix = Array("#!/bin/sh\nexec unpack\n".utf8)
    #expect(try Self.read(fixture.bytes).count == 2)
  }

  @Test func `a comment that resembles an end record is ignored`() throws {
    var fixture = ZipFixture([.init("a.txt")])
    fixture.comment = ZipFixture.le(0x0605_4B50, 4) + [UInt8](repeating: 9, count: 14) + ZipFixture.le(0, 4)
    #expect(try Self.read(fixture.bytes)["a.txt"] == Array("content".utf8))
  }

  @Test func `names are decoded as UTF-8, code page 437 or from the Unicode field`() throws {
    func path(_ change: (inout ZipFixture.Entry) -> Void) throws -> String? {
      try ZipReader(ArchiveBytes(ZipFixture(.init("a.txt"), change).bytes)).entries.first?.path
    }
    #expect(try path { $0.name = Array("导出.xml".utf8) } == "导出.xml")
    #expect(try path { ($0.name, $0.flags) = (Array("é.txt".utf8), 0x800) } == "é.txt")
    #expect(try path { $0.name = [0x82, 0x2E, 0x74] } == "é.t")
    #expect(try path { ($0.name, $0.madeOn) = (Array("b\\c.txt".utf8), 0) } == "b/c.txt")
    let unicode = Array("ü.txt".utf8)
    #expect(
      try path {
        $0.name = Array("_.txt".utf8)
        $0.extra =
          ZipFixture.le(0x7075, 2) + ZipFixture.le(UInt32(5 + unicode.count), 2) + [1]
          + ZipFixture.le(CRC32(of: $0.name).value, 4) + unicode
      } == "ü.txt")
  }

  @Test(
    "an archive with a path outside its directory is rejected",
    arguments: ["../a", "a/../../b", "/etc/passwd", "..", "a/..", "..\\a", "C:\\a", "C:a", "\\a", "a\0b", ""])
  func unsafe(path: String) {
    #expect(throws: ArchiveError.unsafePath(path)) { try Self.read(ZipFixture([.init(path)]).bytes) }
  }

  @Test("a similar but safe path is accepted", arguments: ["..a/b", "a../b", "a/...", "a b/c:d", "é/ü"])
  func safe(path: String) throws {
    #expect(try Self.read(ZipFixture([.init(path)]).bytes)[path] == Array("content".utf8))
  }

  @Test func `an encrypted entry is rejected by name, and others can be read`() throws {
    for flags: UInt16 in [0x1, 0x41, 0x2000] {
      var fixture = ZipFixture([.init("secret.txt"), .init("a.txt")])
      fixture.entries[0].flags = flags
      let archive = try ZipReader(ArchiveBytes(fixture.bytes))
      #expect(archive.entries.map(\.isEncrypted) == [true, false])
      #expect(throws: ArchiveError.encrypted(entry: "secret.txt")) { _ = try archive.open(archive.entries[0]) }
      #expect(try archive.contents(of: archive.entries[1], limit: 100) == Array("content".utf8))
    }
  }

  @Test func `unsupported compression, links, directories and split archives are rejected by name`() throws {
    func error(_ change: (inout ZipFixture.Entry) -> Void) throws -> ArchiveError? {
      let archive = try ZipReader(ArchiveBytes(ZipFixture(.init("a.txt"), change).bytes))
      return #expect(throws: ArchiveError.self) { _ = try archive.open(archive.entries[0]) }
    }
    #expect(
      try error { $0.method = 12 }
        == .unsupported(entry: "a.txt", reason: "its compression (bzip2) is neither deflate nor none"))
    #expect(
      try error { $0.method = 77 }
        == .unsupported(entry: "a.txt", reason: "its compression (method 77) is neither deflate nor none"))
    #expect(try error { $0.mode = 0o120777 } == .unsupported(entry: "a.txt", reason: "it is a link to another file"))
    #expect(try error { $0.name = Array("a/".utf8) } == .unsupported(entry: "a/", reason: "it is a folder"))
    var parts = ZipFixture([.init("a.txt")])
    parts.disk = 1
    #expect(
      throws: ArchiveError.unsupported(
        entry: nil, reason: "it is one part of a split archive; join the parts first (zip -s 0)")
    ) { try Self.read(parts.bytes) }
  }

  @Test func `wrong sizes, checksums and names are rejected by name`() throws {
    func error(_ method: UInt16, _ change: (inout ZipFixture.Entry) -> Void) -> ArchiveError? {
      let fixture = ZipFixture(.init("a.txt", "hello hello hello")) {
        $0.method = method
        change(&$0)
      }
      return #expect(throws: ArchiveError.self) { try Self.read(fixture.bytes) }
    }
    let length = UInt32(Deflater.compress(Array("hello hello hello".utf8), as: .raw).count)
    #expect(error(0) { $0.crc32 = 1 } == Self.damaged("its checksum is wrong"))
    #expect(error(8) { $0.crc32 = 1 } == Self.damaged("its checksum is wrong"))
    #expect(error(8) { $0.size = 18 } == Self.damaged("it contains 17 bytes, but the directory lists 18"))
    #expect(error(8) { $0.size = 16 } == Self.damaged("it contains 17 bytes, but the directory lists 16"))
    #expect(error(0) { $0.size = 16 } == Self.damaged("it is not compressed, but its two sizes differ"))
    #expect(
      error(8) { $0.localSize = 16 }
        == Self.damaged("the sizes differ between the local header and the central directory"))
    #expect(error(0) { ($0.compressedSize, $0.size) = (90, 90) } == Self.damaged("it overlaps the next entry"))
    #expect(
      error(8) { ($0.compressedSize, $0.flags) = (length - 1, 8) }
        == .truncated(entry: "a.txt", reason: "its compressed data is incomplete"))
    #expect(
      error(8) { ($0.compressedSize, $0.flags) = (length + 1, 8) }
        == Self.damaged("its compressed data ends after \(length) of \(length + 1) bytes"))
    #expect(
      error(0) { $0.localName = Array("b.txt".utf8) }
        == Self.damaged("the name differs between the local header and the central directory"))
    #expect(error(0) { $0.offset = 5 } == Self.damaged("the local header is missing"))
    #expect(error(0) { $0.offset = 50_000 } == Self.damaged("its offset is outside the archive"))
  }

  @Test func `duplicate paths, overlapping entries and a wrong count are rejected`() throws {
    var twice = ZipFixture([.init("a.txt", "1"), .init("a.txt", "2")])
    #expect(throws: Self.damaged("the archive contains it twice")) { try Self.read(twice.bytes) }
    twice.entries[1].name = Array("b.txt".utf8)
    #expect(try Self.read(twice.bytes).count == 2)
    twice.entries[1].offset = 0
    #expect(throws: Self.damaged("it overlaps the next entry")) { try Self.read(twice.bytes) }
    twice.entries[1].offset = nil
    twice.count = 3
    #expect(throws: Self.damaged("its directory has 2 entries instead of 3", nil)) { try Self.read(twice.bytes) }
  }

  @Test func `a decompression bomb is rejected by ratio and total size`() throws {
    let zeros = String(repeating: "\0", count: 3 << 20)
    let bomb = ZipFixture(.init("a.txt", zeros)) { $0.method = 8 }.bytes
    #expect(
      throws: ArchiveError.exceedsLimit(
        entry: "a.txt", reason: "it unpacks to more than 250 times its size")
    ) { try Self.read(bomb) }
    #expect(try Self.read(bomb, limits: ArchiveLimits(ratio: 1100))["a.txt"]?.count == 3 << 20)
    let two = ZipFixture([.init("a.txt", "12345"), .init("b.txt", "12345")]).bytes
    #expect(throws: ArchiveError.exceedsLimit(entry: nil, reason: "its entries contain more than 9 bytes")) {
      try Self.read(two, limits: ArchiveLimits(totalBytes: 9))
    }
    #expect(throws: ArchiveError.exceedsLimit(entry: nil, reason: "it has more than 1 entries")) {
      try Self.read(two, limits: ArchiveLimits(entries: 1))
    }
    // The limit applies to the actual size, not to the size in the central directory.
    let liar = ZipFixture(.init("a.txt", zeros)) {
      $0.method = 8
      $0.size = 100
      $0.localSize = 100
    }
    #expect(throws: ArchiveError.self) { try Self.read(liar.bytes) }
  }

  @Test func `truncation anywhere is reported`() {
    let bytes = ZipFixture([.init("a.txt"), .init("b.txt")]).bytes
    for length in 2..<bytes.count {
      #expect(
        throws: ArchiveError.truncated(
          entry: nil, reason: "the directory at the end of the archive is missing; copy or download the file again"),
        "\(length)"
      ) { try Self.read(Array(bytes[..<length])) }
    }
  }

  @Test("a flipped bit causes an error or leaves the content unchanged", arguments: [0, 8] as [UInt16])
  func flipped(method: UInt16) {
    var fixture = ZipFixture([.init("a.txt", "alpha alpha alpha"), .init("b.txt", "beta")])
    for index in fixture.entries.indices { fixture.entries[index].method = method }
    fixture.entries[1].flags = 8
    let bytes = fixture.bytes
    let contents: Set = [Array("alpha alpha alpha".utf8), Array("beta".utf8)]
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        // Both an error and the original content are acceptable.
        guard let files = try? Self.read(damaged) else { continue }
        #expect(Set(files.values).isSubset(of: contents), "byte \(index), bit \(bit)")
      }
    }
  }

  @Test func `an archive beyond 4 GiB is read with ZIP64`() throws {
    let content = Array("far away".utf8)
    let far: Int64 = 5 << 30
    let name = Array("far.txt".utf8)
    let local =
      ZipFixture.le(0x0403_4B50, 4) + ZipFixture.le(45, 2) + ZipFixture.le(0, 4) + ZipFixture.le(0x0021_0000, 4)
      + ZipFixture.le(CRC32(of: content).value, 4) + ZipFixture.le(8, 4) + ZipFixture.le(8, 4)
      + ZipFixture.le(UInt32(name.count), 2) + ZipFixture.le(0, 2) + name + content
    let directoryStart = far + Int64(local.count)
    var end =
      ZipFixture.le(0x0201_4B50, 4) + [45, 3] + ZipFixture.le(45, 2) + ZipFixture.le(0, 4)
      + ZipFixture.le(0x0021_0000, 4) + ZipFixture.le(CRC32(of: content).value, 4) + ZipFixture.le(8, 4)
      + ZipFixture.le(8, 4) + ZipFixture.le(UInt32(name.count), 2) + ZipFixture.le(12, 2) + ZipFixture.le(0, 4)
    end += ZipFixture.le(0, 2) + ZipFixture.le(0, 4) + ZipFixture.le(0xFFFF_FFFF, 4) + name
    end += ZipFixture.le(1, 2) + ZipFixture.le(8, 2) + Self.le64(far)
    let size = Int64(end.count)
    end += ZipFixture.le(0x0606_4B50, 4) + Self.le64(44) + ZipFixture.le(45, 2) + ZipFixture.le(45, 2)
    end += ZipFixture.le(0, 4) + ZipFixture.le(0, 4) + Self.le64(1) + Self.le64(1) + Self.le64(size)
    end += Self.le64(directoryStart)
    end += ZipFixture.le(0x0706_4B50, 4) + ZipFixture.le(0, 4) + Self.le64(directoryStart + size) + ZipFixture.le(1, 4)
    end += ZipFixture.le(0x0605_4B50, 4) + ZipFixture.le(0, 4) + ZipFixture.le(0xFFFF_FFFF, 4)
    end += ZipFixture.le(0xFFFF_FFFF, 4) + ZipFixture.le(0xFFFF_FFFF, 4) + ZipFixture.le(0, 2)
    let source = SparseSource(
      count: directoryStart + Int64(end.count), parts: [(far, local), (directoryStart, end)])
    #expect(try ZipReader(source).files() == ["far.txt": content])
  }

  static func le64(_ value: Int64) -> [UInt8] {
    ZipFixture.le(UInt32(truncatingIfNeeded: value), 4) + ZipFixture.le(UInt32(truncatingIfNeeded: value >> 32), 4)
  }

  @Test func `a missing file is a system error, and a directory is unsupported`() throws {
    #expect(throws: ArchiveError.system(path: "/nowhere/a.zip", operation: "opening", code: ENOENT)) {
      try ArchiveFile(path: "/nowhere/a.zip")
    }
    #expect(throws: ArchiveError.unsupported(entry: nil, reason: "/ is not a regular file")) {
      try ArchiveFile(path: "/")
    }
  }

  @Test(.enabled(if: ArchiveTools.has("zip")), arguments: [[], ["-0"], ["-fd"], ["-fz"]])
  func `an archive of the program zip is read`(options: [String]) throws {
    try ArchiveTools.inFolder { folder in
      let files = ["a.txt": Bytes.text(100_000), "sub folder/é.bin": Bytes.noise(5000), "empty": []]
      try FileManager.default.createDirectory(
        at: folder.appending(path: "sub folder"), withIntermediateDirectories: true)
      for (path, bytes) in files { try Data(bytes).write(to: folder.appending(path: path)) }
      let run = try ArchiveTools.run(
        "zip", ["-q", "-r"] + options + ["out.zip", "a.txt", "sub folder", "empty"], in: folder)
      #expect(run.status == 0)
      let archive = try ZipReader(try ArchiveFile(path: folder.appending(path: "out.zip").path))
      #expect(try archive.files(step: 70_000) == files)
      #expect(archive.entries.contains { $0.kind == .directory && $0.path == "sub folder/" })
      #expect(archive.entries.allSatisfy { $0.modified != nil })
    }
  }

  @Test(.enabled(if: ArchiveTools.has("zip")))
  func `an encrypted archive of the program zip is rejected, and the error names the entry`() throws {
    try ArchiveTools.inFolder { folder in
      try Data("secret".utf8).write(to: folder.appending(path: "a.txt"))
      #expect(try ArchiveTools.run("zip", ["-q", "-P", "x", "out.zip", "a.txt"], in: folder).status == 0)
      let archive = try ZipReader(try ArchiveFile(path: folder.appending(path: "out.zip").path))
      #expect(throws: ArchiveError.encrypted(entry: "a.txt")) { _ = try archive.open(archive.entries[0]) }
    }
  }

  @Test(.enabled(if: ArchiveTools.has("python3")))
  func `an archive of Python is read, even if written to a pipe`() throws {
    try ArchiveTools.inFolder { folder in
      let script = """
        zipfile = __import__('zipfile')
        class Pipe:
            def __init__(self, file): self.file = file
            def write(self, data): return self.file.write(data)
            def flush(self): self.file.flush()
        for name, target in (('plain.zip', None), ('pipe.zip', Pipe)):
            with open(name, 'wb') as file:
                with zipfile.ZipFile(target(file) if target else file, 'w', zipfile.ZIP_DEFLATED) as archive:
                    archive.writestr('a.txt', 'hello ' * 5000)
                    archive.writestr('导出/b.txt', 'stored', zipfile.ZIP_STORED)
                    with archive.open('big.txt', 'w', force_zip64=True) as entry: entry.write(b'zip64 ' * 100)
        """
      #expect(try ArchiveTools.run("python3", ["-c", script], in: folder).status == 0)
      for name in ["plain.zip", "pipe.zip"] {
        let files = try ZipReader(try ArchiveFile(path: folder.appending(path: name).path)).files()
        #expect(files["a.txt"] == Array(String(repeating: "hello ", count: 5000).utf8))
        #expect(files["导出/b.txt"] == Array("stored".utf8))
        #expect(files["big.txt"] == Array(String(repeating: "zip64 ", count: 100).utf8))
      }
    }
  }
}
