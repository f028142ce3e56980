/// The address space of a process, as Linux tells of it in `/proc/self/smaps`.
public struct MemoryMap: Hashable, Sendable {
  /// Addresses of the parts of files that cannot be written and that nobody has changed in memory: code and constants. Whatever is let go
  /// of them is read from the file again.
  public let unchangedFiles: [Range<UInt>]

  /// - Parameter text: of `/proc/self/smaps`: a line with addresses, rights and file for each part, then lines with its figures.
  public init(_ text: some Sequence<UInt8>) {
    var files: [Range<UInt>] = []
    /// A part whose lines are being read.
    var part: Range<UInt>?
    for line in Array(text).split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      if let addresses = words.first.flatMap(Self.addresses) {
        let isOfFile = words.count == 6 && words[5].drop { $0 == UInt8(ascii: " ") }.first == UInt8(ascii: "/")
        // Private, as a file that is shared may be one that others write.
        part = isOfFile && ["r--p", "r-xp"].contains(String(decoding: words[1], as: UTF8.self)) ? addresses : nil
      } else if words.first?.elementsEqual("Anonymous:".utf8) == true, let found = part {
        // Pages that were written before they became read-only lie in no file.
        if words.dropFirst().first?.elementsEqual("0".utf8) == true { files.append(found) }
        part = nil
      }
    }
    unchangedFiles = files
  }

  /// `55d0a000-55d0b000`
  private static func addresses(_ word: some Collection<UInt8>) -> Range<UInt>? {
    let ends = word.split(separator: UInt8(ascii: "-")).map { UInt(String(decoding: $0, as: UTF8.self), radix: 16) }
    guard ends.count == 2, let start = ends[0], let end = ends[1], start < end else { return nil }
    return start..<end
  }
}
