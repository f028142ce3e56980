/// The address space of a process, as Linux tells of it in `/proc/self/smaps`.
public struct MemoryMap: Hashable, Sendable {
  /// Addresses of the parts of the program and its libraries that cannot be written and that nobody has changed in memory: code and
  /// constants. Whatever is let go of them is read from the file again.
  ///
  /// Of other files none: another thread may have unmapped them since, and something else may lie there.
  public let unchangedCode: [Range<UInt>]

  private struct Part {
    var addresses: Range<UInt>
    var file: String
    var isCode: Bool
  }

  /// - Parameter text: of `/proc/self/smaps`: a line with addresses, rights and file for each part, then lines with its figures.
  public init(_ text: some Sequence<UInt8>) {
    var parts: [Part] = []
    /// One whose lines are being read.
    var part: Part?
    for line in Array(text).split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      if let addresses = words.first.flatMap(Self.addresses) {
        part = Self.part(at: addresses, words)
      } else if words.first?.elementsEqual("Anonymous:".utf8) == true, let found = part {
        // Pages that were written before they became read-only lie in no file.
        if words.dropFirst().first?.elementsEqual("0".utf8) == true { parts.append(found) }
        part = nil
      }
    }
    let programs = Set(parts.filter(\.isCode).map(\.file))
    unchangedCode = parts.filter { programs.contains($0.file) }.map(\.addresses)
  }

  /// `nil` of what is of no file, or can be written, or is shared with others who may.
  private static func part(at addresses: Range<UInt>, _ words: [ArraySlice<UInt8>]) -> Part? {
    guard words.count == 6 else { return nil }
    let file = String(decoding: words[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    let rights = String(decoding: words[1], as: UTF8.self)
    guard file.hasPrefix("/"), ["r--p", "r-xp"].contains(rights) else { return nil }
    return Part(addresses: addresses, file: file, isCode: rights == "r-xp")
  }

  /// `55d0a000-55d0b000`
  private static func addresses(_ word: some Collection<UInt8>) -> Range<UInt>? {
    let ends = word.split(separator: UInt8(ascii: "-")).map { UInt(String(decoding: $0, as: UTF8.self), radix: 16) }
    guard ends.count == 2, let start = ends[0], let end = ends[1], start < end else { return nil }
    return start..<end
  }
}
