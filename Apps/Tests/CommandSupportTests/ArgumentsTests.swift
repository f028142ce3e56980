import CommandSupport
import Testing

@Suite("Arguments")
struct ArgumentsTests {
  private let options = [
    OptionSpec("--note", "-n", value: "text", kind: .text, help: ""), OptionSpec("--json", help: ""),
    OptionSpec("--clear", value: "field", kind: .text, repetition: .allCount, help: ""),
    OptionSpec("--store", value: "dir", kind: .folder, repetition: .lastCounts, help: ""),
  ]

  private func parse(_ words: String...) throws -> Arguments {
    try Arguments(words, options: options, usage: "trendy log")
  }

  @Test func `options and arguments may appear in any order`() throws {
    let arguments = try parse("coffee", "-n", "oat", "2", "--json", "--clear=note", "--clear", "end")
    #expect(arguments.positionals == ["coffee", "2"])
    #expect(arguments.value("--note") == "oat")
    #expect(arguments.has("--json"))
    #expect(arguments.all("--clear") == ["note", "end"])
  }

  @Test func `an option that is repeated with a different value throws unless the last one counts`() throws {
    #expect(throws: CommandError.self) { try parse("-n", "a", "--note", "b") }
    #expect(try parse("-n", "a", "--note", "a").value("--note") == "a")
    #expect(try parse("--store", "a", "--store", "b").value("--store") == "b")
  }

  @Test func `a negative number and a western longitude are arguments, not options`() throws {
    #expect(try parse("-5", "-122.4,37.7").positionals == ["-5", "-122.4,37.7"])
  }

  @Test func `everything after two dashes is an argument`() throws {
    #expect(try parse("--", "--note").positionals == ["--note"])
  }

  @Test func `an option value may look like an option`() throws {
    #expect(try parse("--note", "--json").value("--note") == "--json")
  }

  @Test func `an unknown option is a usage error that suggests the nearest one`() {
    #expect(
      throws: CommandError("Unknown option '--nots'", hint: "Did you mean '--note'?", usage: "trendy log", exit: .usage)
    ) {
      try parse("--nots", "x")
    }
  }

  @Test func `an option without its value and a flag with a value are usage errors`() {
    #expect(throws: CommandError.self) { try parse("--note") }
    #expect(throws: CommandError.self) { try parse("--json=yes") }
  }
}

@Suite("Suggestion")
struct SuggestionTests {
  @Test func `the nearest word is suggested regardless of case`() {
    #expect(Suggestion.nearest(to: "Coffe", among: ["coffee", "tea"]) == "coffee")
    #expect(Suggestion.nearest(to: "lgo", among: ["log", "list"]) == "log")
  }

  @Test func `a word that is far from every candidate has no suggestion`() {
    #expect(Suggestion.nearest(to: "xylophone", among: ["coffee", "tea"]) == nil)
  }
}

@Suite("JSONText")
struct JSONTextTests {
  @Test func `members keep their order and text is escaped`() {
    let text = JSONText.object([("b", .string("a\"\\\n\u{1}é")), ("a", .array([.null, .bool(true), .number(5.0)]))])
    #expect(text.description == #"{"b":"a\"\\\n\u0001é","a":[null,true,5]}"#)
  }

  @Test func `numbers that JSON cannot represent become null`() {
    #expect(JSONText.number(Double.infinity) == .null)
    #expect(JSONText.number(nil as Double?) == .null)
  }
}
