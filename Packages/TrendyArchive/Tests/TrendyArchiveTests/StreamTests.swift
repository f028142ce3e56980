import Foundation
import Testing
import TrendyArchive

@Suite("Compressed streams", .timeLimit(.minutes(10)))
struct StreamTests {
  static let texts: [[UInt8]] = [[], [7], Bytes.text(100), Bytes.text(300_000), Bytes.noise(100_000)]

  @Test(
    "data compressed in chunks of any size is restored", arguments: CompressedFormat.allCases, [1, 7, 4096, 1 << 20])
  func pieces(format: CompressedFormat, step: Int) throws {
    for text in Self.texts where step > 1 || text.count < 1000 {
      var deflater = Deflater(format)
      var compressed: [UInt8] = []
      for start in stride(from: 0, to: text.count, by: step) {
        deflater.write(Array(text[start..<min(text.count, start + step)]), to: &compressed)
      }
      deflater.finish(to: &compressed)
      let told = (deflater.isFinished, Int(deflater.inputCount), Int(deflater.outputCount))
      #expect(told == (true, text.count, compressed.count))
      #expect(try Inflater.decompress(compressed, as: format, limit: text.count) == text)

      var inflater = Inflater(format)
      var back: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: step)
      var position = 0
      while !inflater.isFinished {
        let part = Array(compressed[position..<min(compressed.count, position + step)])
        let (taken, given) = try part.withUnsafeBytes { input in
          try buffer.withUnsafeMutableBytes { try inflater.inflate(input, into: $0) }
        }
        position += taken
        back += buffer[..<given]
        guard taken + given > 0 || inflater.isFinished else { break }
      }
      #expect(back == text)
      #expect(position == compressed.count)
    }
  }

  @Test func `flushed data can be decoded before the end`() throws {
    var deflater = Deflater(.gzip)
    var inflater = Inflater(.gzip)
    var received: [UInt8] = []
    for message in ["one", "two", "three"] {
      var sent: [UInt8] = []
      deflater.write(Array(message.utf8), to: &sent)
      deflater.flush(to: &sent)
      var buffer = [UInt8](repeating: 0, count: 100)
      let (taken, given) = try sent.withUnsafeBytes { input in
        try buffer.withUnsafeMutableBytes { try inflater.inflate(input, into: $0) }
      }
      #expect(taken == sent.count)
      received += buffer[..<given]
      #expect(received.suffix(message.utf8.count) == Array(message.utf8)[...])
    }
    let isFinished = inflater.isFinished
    #expect(!isFinished)
  }

  @Test("one value can process several streams", arguments: CompressedFormat.allCases)
  func resets(format: CompressedFormat) throws {
    var deflater = Deflater(format, level: 9)
    for text in Self.texts {
      var compressed: [UInt8] = []
      deflater.reset()
      deflater.write(text, to: &compressed)
      deflater.finish(to: &compressed)
      #expect(compressed == Deflater.compress(text, as: format, level: 9))
    }
  }

  @Test("data cut off anywhere is reported as truncated", arguments: CompressedFormat.allCases)
  func cut(format: CompressedFormat) {
    let compressed = Deflater.compress(Bytes.text(700), as: format)
    for length in 0..<compressed.count {
      #expect(throws: ArchiveError.truncated(entry: nil, reason: "the compressed data is incomplete"), "\(length)") {
        try Inflater.decompress(Array(compressed[..<length]), as: format, limit: 1000)
      }
    }
  }

  @Test("a flipped bit causes an error or leaves the content unchanged", arguments: [CompressedFormat.zlib, .gzip])
  func flipped(format: CompressedFormat) {
    let text = Bytes.text(300)
    let compressed = Deflater.compress(text, as: format)
    for index in compressed.indices {
      for bit in 0..<8 {
        var damaged = compressed
        damaged[index] ^= 1 << bit
        // Both an error and the original content are acceptable.
        let back = try? Inflater.decompress(damaged, as: format, limit: 10_000)
        #expect(back == nil || back == text, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test func `data beyond the limit or after the end is rejected`() {
    let compressed = Deflater.compress(Bytes.text(500), as: .zlib)
    #expect(throws: ArchiveError.exceedsLimit(entry: nil, reason: "it contains more than 499 bytes")) {
      try Inflater.decompress(compressed, as: .zlib, limit: 499)
    }
    #expect(
      throws: ArchiveError.damaged(entry: nil, reason: "unexpected data after the end of the compressed data")
    ) { try Inflater.decompress(compressed + [0], as: .zlib, limit: 500) }
  }

  @Test func `CRC-32 matches the standard when computed in chunks`() {
    // Check value of CRC-32/ISO-HDLC.
    #expect(CRC32(of: Array("123456789".utf8)).value == 0xCBF4_3926)
    var pieces = CRC32()
    for byte in "123456789".utf8 { withUnsafeBytes(of: byte) { pieces.update($0) } }
    #expect(pieces.value == 0xCBF4_3926)
    #expect(CRC32().value == 0)
  }
}

@Suite("Gzip files", .timeLimit(.minutes(10)))
struct GzipReaderTests {
  static func read(_ file: [UInt8], step: Int = 1000, limits: ArchiveLimits = ArchiveLimits()) throws -> [UInt8] {
    var position = 0
    var reader = GzipReader(limits: limits) { buffer in
      let count = min(step, buffer.count, file.count - position)
      buffer.copyBytes(from: file[position..<(position + count)])
      position += count
      return count
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  @Test("a gzip file is read member by member, including padding", arguments: [1, 13, 100_000])
  func members(step: Int) throws {
    let parts = [Bytes.text(5000), [], Bytes.noise(3000)]
    let file = parts.flatMap { Deflater.compress($0, as: .gzip) } + [UInt8](repeating: 0, count: 600)
    #expect(try Self.read(file, step: step) == parts.flatMap { $0 })
  }

  @Test func `another format, truncation and trailing data are rejected`() {
    #expect(throws: ArchiveError.notAnArchive(expected: "a gzip file")) { try Self.read(Array("PK".utf8)) }
    #expect(throws: ArchiveError.notAnArchive(expected: "a gzip file")) { try Self.read([]) }
    let file = Deflater.compress(Bytes.text(2000), as: .gzip)
    for length in 1..<file.count {
      #expect(throws: ArchiveError.truncated(entry: nil, reason: "the gzip data is incomplete"), "\(length)") {
        try Self.read(Array(file[..<length]))
      }
    }
    #expect(throws: ArchiveError.damaged(entry: nil, reason: "unexpected data after the end of the gzip data")) {
      try Self.read(file + [1])
    }
  }

  @Test func `a decompression bomb is rejected early`() throws {
    let bomb = Deflater.compress([UInt8](repeating: 0, count: 20 << 20), as: .gzip, level: 9)
    #expect(bomb.count < 30_000)
    #expect(throws: ArchiveError.self) { try Self.read(bomb) }
    #expect(try Self.read(bomb, limits: ArchiveLimits(ratio: 1100)).count == 20 << 20)
    #expect(throws: ArchiveError.exceedsLimit(entry: nil, reason: "it contains more than 5000 bytes")) {
      try Self.read(Deflater.compress(Bytes.noise(6000), as: .gzip), limits: ArchiveLimits(totalBytes: 5000))
    }
  }

  @Test(.enabled(if: ArchiveTools.has("gzip")))
  func `files of the program gzip are read, and it reads ours`() throws {
    try ArchiveTools.inFolder { folder in
      let text = Bytes.text(200_000)
      try Data(text).write(to: folder.appending(path: "a.txt"))
      #expect(try ArchiveTools.run("gzip", ["-k", "a.txt"], in: folder).status == 0)
      #expect(try Self.read(Array(try Data(contentsOf: folder.appending(path: "a.txt.gz")))) == text)
      try Data(Deflater.compress(text, as: .gzip)).write(to: folder.appending(path: "b.gz"))
      #expect(try ArchiveTools.run("gzip", ["-dc", "b.gz"], in: folder).output == text)
    }
  }
}
