import CommandSupport
import Testing

@Suite("ShellWords", .timeLimit(.minutes(10)))
struct ShellWordsTests {
  @Test(
    "a line is taken apart as a shell does",
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
    "a quote without an end, or nothing behind a backslash, is no line", arguments: ["'a", "a \"b", #"a\"#, #""a\"#])
  func unfinished(line: String) {
    #expect(ShellWords.split(line) == nil)
  }

  @Test(
    "what was quoted is one word again", arguments: ["", "coffee", "it's", "two words", "a\"b", #"a\b"#, "a\nb", "ø"])
  func quoted(word: String) {
    #expect(ShellWords.split(ShellWords.quoted(word)) == [word])
  }

  /// A word that is copied for each of its letters takes hours.
  @Test func `a word of four million letters takes no longer than as many words`() {
    let note = String(repeating: "n", count: 4_000_000)
    #expect(ShellWords.split("coffee -n '\(note)'") == ["coffee", "-n", note])
  }
}
