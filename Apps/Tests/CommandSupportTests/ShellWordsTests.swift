import CommandSupport
import Testing

@Suite("ShellWords", .timeLimit(.minutes(10)))
struct ShellWordsTests {
  @Test(
    "a line is split as a shell splits it",
    arguments: [
      ("", []), ("  \t ", []), ("coffee", ["coffee"]), (" coffee  2 ", ["coffee", "2"]),
      ("coffee -n 'with oat'", ["coffee", "-n", "with oat"]), ("a '' b", ["a", "", "b"]), ("a'b c'd", ["ab cd"]),
      (#"a\ b"#, ["a b"]), (#"a\"b"#, ["a\"b"]), (#""a \" \\ \n 'b'""#, [#"a " \ \n 'b'"#]),
      (#"'a\' b"#, [#"a\"#, "b"]),
      ("'it\"s'", ["it\"s"]),
    ])
  func split(line: String, words: [String]) {
    #expect(ShellWords.split(line) == words)
  }

  @Test(
    "an unterminated quote or a trailing backslash is invalid", arguments: ["'a", "a \"b", #"a\"#, #""a\"#])
  func unfinished(line: String) {
    #expect(ShellWords.split(line) == nil)
  }

  @Test(
    "a quoted word is split into the same single word",
    arguments: ["", "coffee", "it's", "two words", "a\"b", #"a\b"#, "a\nb", "ø"])
  func quoted(word: String) {
    #expect(ShellWords.split(ShellWords.quoted(word)) == [word])
  }

  /// If each appended letter copied the word, this test would take hours.
  @Test func `a word of four million letters is split in linear time`() {
    let note = String(repeating: "n", count: 4_000_000)
    #expect(ShellWords.split("coffee -n '\(note)'") == ["coffee", "-n", note])
  }
}
