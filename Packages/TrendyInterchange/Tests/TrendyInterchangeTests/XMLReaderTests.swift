import Testing

@testable import TrendyInterchange

@Suite("XMLReader", .timeLimit(.minutes(10)))
struct XMLReaderTests {
  func events(_ text: String) throws -> [XMLReader.Event] { try events(Array(text.utf8)) }

  func events(_ bytes: [UInt8]) throws -> [XMLReader.Event] {
    var reader = try XMLReader(bytes)
    var events: [XMLReader.Event] = []
    while true {
      let event = try reader.next()
      if case .finished = event { return events }
      events.append(event)
    }
  }

  func problem(_ text: String) -> XMLProblem? {
    do {
      _ = try events(text)
      return nil
    } catch { return error as? XMLProblem }
  }

  @Test func `elements, attributes and text are read in order`() throws {
    #expect(
      try events("<?xml version=\"1.0\"?>\n<a x='1' y = \"two\"><b/>t<!-- no --><c>u</c></a>\n") == [
        .start(name: "a", attributes: [XMLAttribute(name: "x", value: "1"), XMLAttribute(name: "y", value: "two")]),
        .start(name: "b", attributes: []), .end(name: "b"), .text("t"),
        .start(name: "c", attributes: []), .text("u"), .end(name: "c"), .end(name: "a"),
      ])
  }

  @Test func `names are local names`() throws {
    #expect(
      try events("<g:a xmlns:g='u' g:x='1'></g:a>") == [
        .start(name: "a", attributes: [XMLAttribute(name: "g", value: "u"), XMLAttribute(name: "x", value: "1")]),
        .end(name: "a"),
      ])
  }

  @Test(
    "a character reference is replaced by its character",
    arguments: [
      ("&amp;", "&"), ("&lt;&gt;", "<>"), ("&quot;&apos;", "\"'"), ("&#65;", "A"), ("&#x1F697;", "🚗"),
      ("a&#10;b", "a\nb"),
    ])
  func references(text: String, meaning: String) throws {
    #expect(try events("<a>\(text)</a>")[1] == .text(meaning))
    #expect(
      try events("<a b=\"\(text)\"/>")[0] == .start(name: "a", attributes: [XMLAttribute(name: "b", value: meaning)]))
  }

  @Test(
    "an unknown reference is rejected",
    arguments: [
      "&nbsp;", "&#0;", "&#x0B;", "&#xD800;", "&#xFFFF;", "&#x110000;", "&#;", "&#-1;", "&", "& amp;", "&amp",
      "&verylongname;",
    ])
  func unknownReferences(text: String) throws {
    let problem = try #require(self.problem("<a>\(text) </a>"))
    #expect(problem.line == 1 && problem.column == 4)
    #expect(!problem.isTruncated)
  }

  @Test func `CDATA is read as plain text`() throws {
    #expect(try events("<a><![CDATA[<x> & ]] >]]></a>")[1] == .text("<x> & ]] >"))
    #expect(try events("<a><![CDATA[]]></a>").count == 2)
  }

  @Test func `a document type is skipped and expands nothing`() throws {
    let bomb = "<!DOCTYPE a [<!ENTITY x \"ha>]\"><!ENTITY y '&x;&x;'><!-- ]> -->]>\n<a>ok</a>"
    #expect(try events(bomb)[1] == .text("ok"))
    #expect(problem("<!DOCTYPE a [<!ENTITY x \"ha\">]><a>&x;</a>")?.reason == "unknown reference &x;")
  }

  @Test func `depth is limited`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(try events(nested(100)).count == 200)
    #expect(problem(nested(101))?.reason == "elements are nested deeper than 100")
  }

  @Test(
    "a malformed document is rejected with its line and column",
    arguments: [
      ("<a>\n <b></a>", 2, 5, "</a> instead of </b>"),
      ("<a></a></b>", 1, 8, "</b> without an opening tag"),
      ("<a/><b/>", 1, 5, "a second root element <b>"),
      ("<a/>x", 1, 5, "text after the root element"),
      ("x<a/>", 1, 1, "text before the root element"),
      ("<a b=1/>", 1, 6, "the value of the attribute b of <a> is not quoted"),
      ("<a b/>", 1, 5, "the attribute b of <a> has no value"),
      ("<a b=''c=''/>", 1, 8, "an unexpected character in the tag <a>"),
      ("<a b='' b=''/>", 1, 9, "duplicate attribute b of <a>"),
      ("<a b='<'/>", 1, 7, "\"<\" in the attribute b of <a>"),
      ("<a / >", 1, 4, "a stray \"/\" in the tag <a>"),
      ("<>", 1, 2, "missing element name"),
      ("<1/>", 1, 2, "missing element name"),
      ("<a></a x>", 1, 8, "an unexpected character in the tag </a>"),
      ("", 1, 1, "the file contains no element"),
      ("<a><!DOCTYPE b></a>", 1, 4, "a document type inside the document"),
      (
        "<?xml version='1.0' encoding='utf-16'?><a/>", 1, 40,
        "encoding \"utf-16\" is not supported; use UTF-8 or ISO 8859-1"
      ),
    ])
  func broken(text: String, line: Int, column: Int, reason: String) {
    #expect(problem(text) == XMLProblem(line: line, column: column, reason: reason))
  }

  @Test func `ISO 8859-1 is read where it is declared`() throws {
    let head = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8)
    #expect(try events(head + [0xE9] + Array("</a>".utf8))[1] == .text("é"))
  }

  @Test func `a byte order mark is ignored and UTF-16 is rejected`() throws {
    #expect(try events([0xEF, 0xBB, 0xBF] + Array("<a/>".utf8)).count == 2)
    #expect(throws: XMLProblem.self) { _ = try XMLReader([0xFF, 0xFE, 0x3C, 0x00]) }
  }

  @Test func `invalid UTF-8 is reported with its position`() throws {
    #expect(throws: XMLProblem(line: 2, column: 3, reason: "the text is not UTF-8")) {
      try events(Array("<a>\nok".utf8) + [0xFF] + Array("</a>".utf8))
    }
  }

  @Test func `a document truncated anywhere is reported as truncated`() throws {
    let whole =
      "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b 'c'>]><!-- c --><a b=\"é&amp;\"><![CDATA[x]]><c/>ü&#65;<?p i?></a>"
    let bytes = Array(whole.utf8)
    for length in 1..<bytes.count {
      let cut = Array(bytes[..<length])
      var met: XMLProblem?
      do { _ = try events(cut) } catch { met = error as? XMLProblem }
      let problem = try #require(met, "cut at \(length)")
      #expect(
        problem.isTruncated || problem.reason == "the file contains no element", "cut at \(length): \(problem)")
    }
    #expect(try !events(bytes).isEmpty)
  }
}
