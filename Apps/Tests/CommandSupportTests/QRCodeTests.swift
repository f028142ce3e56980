import CommandSupport
import Foundation
import Testing

@Suite("QRCode")
struct QRCodeTests {
  private static let reader = "/usr/bin/zbarimg"

  /// Returns the code as a bitmap in PBM format, with six pixels per module and a quiet zone.
  private func bitmap(_ code: QRCode) -> String {
    let span = -4..<code.size + 4
    var text = "P1\n\(span.count * 6) \(span.count * 6)\n"
    for row in span {
      let line = span.map { String(repeating: code.isDark(row: row, column: $0) ? "1 " : "0 ", count: 6) }.joined()
      text += String(repeating: line + "\n", count: 6)
    }
    return text
  }

  private func read(_ code: QRCode) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID().uuidString).pbm")
    defer { try? FileManager.default.removeItem(at: file) }  // if this fails, only a temporary file remains
    try bitmap(code).write(to: file, atomically: true, encoding: .utf8)
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: Self.reader)
    process.arguments = ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path]
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  /// Tests each version at its maximum length and with one additional byte, which requires the next version.
  @Test(
    "zbar reads the code back",
    .enabled(if: FileManager.default.isExecutableFile(atPath: reader), "zbar-tools is not installed"),
    arguments: [
      (1, 1), (14, 1), (15, 2), (26, 2), (27, 3), (42, 3), (43, 4), (62, 4), (63, 5), (84, 5), (85, 6), (106, 6),
      (107, 7), (122, 7), (123, 8), (152, 8), (153, 9), (180, 9), (181, 10), (213, 10),
    ])
  func readBack(count: Int, version: Int) throws {
    let text = String((0..<count).map { "trendy://connect?hub=http://attic.lan:8787&code=4821-0937"[$0 % 57] })
    let code = try #require(QRCode(text))
    #expect(code.version == version)
    #expect(try read(code) == text + "\n")
  }

  @Test func `text that exceeds the largest version has no code`() {
    #expect(QRCode(String(repeating: "x", count: 214)) == nil)
  }

  /// The example from ISO/IEC 18004:2015, annex I: a symbol of version 1-M.
  @Test func `a code has the size and the modules that the standard defines`() throws {
    let code = try #require(QRCode("01234567"))
    let dark = (0..<code.size).flatMap { row in (0..<code.size).map { (row, $0) } }
      .filter { code.isDark(row: $0.0, column: $0.1) }.count
    #expect(code.size == 21 && dark > 180 && dark < 260)
    #expect(!code.isDark(row: -1, column: 0) && !code.isDark(row: 0, column: 21))
    #expect(code.isDark(row: 13, column: 8), "the module that is always dark")
  }

  @Test func `a terminal shows two rows per line with a quiet zone, in black on white where it has colours`() throws {
    let picture = QRPicture(try #require(QRCode("01234567")))
    let coloured = picture.lines(for: Terminal(width: 80, showsStyles: true))
    #expect(coloured.count == 15)
    #expect(coloured.allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") && $0.hasSuffix("\u{1B}[0m") })
    let plain = picture.lines(for: Terminal(width: 29))
    #expect(plain.first == String(repeating: "█", count: 29) && plain[2].hasPrefix("████ ▄▄▄▄▄ "))
    #expect(picture.lines(for: Terminal(width: 28)).isEmpty)
    #expect(picture.lines(for: Terminal()).isEmpty, "a file is no place for a picture")
    #expect(picture.lines(for: Terminal(width: 80, showsUnicode: false)).isEmpty)
  }
}

extension StringProtocol {
  fileprivate subscript(place: Int) -> Character { self[index(startIndex, offsetBy: place)] }
}
