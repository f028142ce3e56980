/// Memory mappings of a process, parsed from `/proc/self/smaps` on Linux.
public struct MemoryMap: Hashable, Sendable {
  /// Address ranges of the program and its shared libraries that are mapped read-only and were never modified.
  ///
  /// The pages in these ranges can be released, because the kernel rereads them from the file on the next access.
  /// Mappings of other files are excluded, because another thread may have unmapped them since and reused their
  /// addresses.
  public let unchangedCode: [Range<UInt>]

  private struct Part {
    var addresses: Range<UInt>
    var file: String
    var isCode: Bool
  }

  /// Parses the content of `/proc/self/smaps`. Each mapping has a line with addresses, permissions and file, followed
  /// by lines with its sizes.
  public init(_ text: some Sequence<UInt8>) {
    var parts: [Part] = []
    /// Mapping whose size lines are being parsed.
    var part: Part?
    for line in Array(text).split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      if let addresses = words.first.flatMap(Self.addresses) {
        part = Self.part(at: addresses, words)
      } else if words.first?.elementsEqual("Anonymous:".utf8) == true, let found = part {
        // Anonymous pages were modified before the mapping became read-only and cannot be reread from the file.
        if words.dropFirst().first?.elementsEqual("0".utf8) == true { parts.append(found) }
        part = nil
      }
    }
    let programs = Set(parts.filter(\.isCode).map(\.file))
    unchangedCode = parts.filter { programs.contains($0.file) }.map(\.addresses)
  }

  /// Returns a private read-only file mapping, or `nil` for other mappings.
  private static func part(at addresses: Range<UInt>, _ words: [ArraySlice<UInt8>]) -> Part? {
    guard words.count == 6 else { return nil }
    let file = String(decoding: words[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    let rights = String(decoding: words[1], as: UTF8.self)
    guard file.hasPrefix("/"), ["r--p", "r-xp"].contains(rights) else { return nil }
    return Part(addresses: addresses, file: file, isCode: rights == "r-xp")
  }

  /// Parses an address range such as `55d0a000-55d0b000`.
  private static func addresses(_ word: some Collection<UInt8>) -> Range<UInt>? {
    let ends = word.split(separator: UInt8(ascii: "-")).map { UInt(String(decoding: $0, as: UTF8.self), radix: 16) }
    guard ends.count == 2, let start = ends[0], let end = ends[1], start < end else { return nil }
    return start..<end
  }
}
