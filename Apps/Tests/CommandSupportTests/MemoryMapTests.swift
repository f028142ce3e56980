import CommandSupport
import Testing

@Suite("MemoryMap", .timeLimit(.minutes(10)))
struct MemoryMapTests {
  private func part(_ line: String, anonymous: Int) -> String {
    """
    \(line)
    Size:                  4 kB
    Rss:                   4 kB
    Anonymous:          \(anonymous) kB
    AnonHugePages:         0 kB
    VmFlags: rd mr mw me

    """
  }

  private func found(_ text: String) -> [Range<UInt>] { MemoryMap(text.utf8).unchangedCode }

  @Test func `file-backed code and constants are returned in address order`() {
    let text =
      part("55d0a000-55d0c000 r--p 00000000 fe:00 1180      /usr/bin/trendyd", anonymous: 0)
      + part("55d0c000-55d0f000 r-xp 00002000 fe:00 1180      /usr/bin/trendyd", anonymous: 0)
      + part("7f000000-7f001000 r-xp 00000000 fe:00 1181      /usr/lib/a b.so (deleted)", anonymous: 0)
    #expect(found(text) == [0x55d0_a000..<0x55d0_c000, 0x55d0_c000..<0x55d0_f000, 0x7f00_0000..<0x7f00_1000])
  }

  @Test(
    "mappings that are modified, writable, shared or not file-backed code are omitted",
    arguments: [
      ("r--p 00000000 fe:00 1180      /usr/bin/trendyd", 4),  // relocated at startup, then made read-only
      ("r-xp 00000000 fe:00 1180      /usr/bin/trendyd", 4096),  // modified by a debugger
      ("rw-p 00000000 fe:00 1180      /usr/bin/trendyd", 0),
      ("r--s 00000000 fe:00 1180      /home/a/store/segment-2", 0),
      ("r--p 00000000 fe:00 1180      /home/a/store/tally-2", 0),  // may be unmapped and its addresses reused
      ("r--p 00000000 00:00 0", 0),
      ("r-xp 00000000 00:00 0         [vdso]", 0),
    ])
  func kept(line: String, anonymous: Int) {
    #expect(found(part("7f00-7f10 \(line)", anonymous: anonymous)) == [])
  }

  @Test func `a truncated or malformed map returns only its complete entries`() {
    let text = part("1000-2000 r-xp 00000000 fe:00 1180 /lib/x", anonymous: 0)
    #expect(found(text + "3000-4000 r-xp 00000000 fe:00 1180 /lib/x\nRss: 4 kB\nAnony") == [0x1000..<0x2000])
    #expect(found("no map at all\n- r-xp\nAnonymous: 0 kB\n9-1 r-xp 0 0 0 /x\nAnonymous: 0 kB\n") == [])
  }
}
