import Foundation
import Testing
import TrendyModels

@Suite("trendy export report", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ReportTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func report(_ words: String..., environment: [String: String] = [:]) throws -> String {
    let words = ["export", "report"] + words + ["-", "--store", bench.store()]
    let result = try bench.run("trendy", words, environment: environment)
    try #require(result.status == 0, "\(result.talk)")
    return result.output
  }

  /// Imports lines in NDJSON format.
  private func put(_ lines: String) throws {
    let file = bench.folder.appending(path: "lines.ndjson")
    try Data(("{\"record\":\"trendy\",\"schema\":\"trendy.export/1\"}\n" + lines).utf8).write(to: file)
    let result = try bench.trendy("import", file.path)
    try #require(result.status == 0, "\(result.talk)")
  }

  /// Returns the tags of an HTML document in order, and checks that each element is closed if required.
  private func tags(_ html: String) throws -> [String] {
    var (open, all): ([String], [String]) = ([], [])
    for match in html.matches(of: /<(\/?)([A-Za-z!][^\s>\/]*)([^>]*)>/) {
      let (name, isEnd) = (String(match.output.2).lowercased(), !match.output.1.isEmpty)
      all.append(String(match.output.0))
      if isEnd {
        #expect(open.popLast() == name, "\(match.output.0) closes nothing")
      } else if !["!doctype", "meta", "link"].contains(name), !match.output.3.hasSuffix("/") {
        open.append(name)
      }
    }
    #expect(open.isEmpty, "\(open) are never closed")
    return all
  }

  /// Returns the text of an HTML document without tags.
  private func words(_ html: String) -> String {
    html.replacing(/<style>[\s\S]*?<\/style>/, with: "").replacing(/<[^>]*>/, with: "").replacing("&lt;", with: "<")
      .replacing("&gt;", with: ">").replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing(
        "&amp;", with: "&")
  }

  @Test func `type colours are adjusted as on the dashboard`() throws {
    let table = Samples.repository.appending(path: "Tools/PageTests/colours.txt")
    let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.count == 5 }
    #expect(rows.count > 200)
    var lines = ""
    for (place, row) in rows.enumerated() {
      lines += #"{"record":"event_type","id":"t\#(place)","name":"T\#(place)","color":"\#(row[0])","icon":"x"}"# + "\n"
      lines +=
        #"{"record":"event","id":"e\#(place)","event_type_id":"t\#(place)","timestamp":"2026-03-01T08:00:00.000Z","is_all_day":false,"properties":{},"source_type":"manual"}"#
        + "\n"
    }
    try put(lines)
    let rules = try report("--year", "2026").matches(of: /\{--tl:(#\w+);--il:(#\w+);--td:(#\w+);--id:(#\w+)\}/)
      .map { "\($0.output.1) \($0.output.2) \($0.output.3) \($0.output.4)" }
    let expected = Set(rows.map { $0.dropFirst().joined(separator: " ") })
    // The first CSS rule is for trips.
    #expect(rules.count == rows.count + 1)
    #expect(expected.subtracting(rules).sorted() == [] && Set(rules.dropFirst()).subtracting(expected).sorted() == [])
  }

  private static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</style><b>", "' onload='x", "&lt;b&gt;", "{{x}}",
    "javascript:alert(1)", "-->", "]]>", "a\u{0}b\u{7}c\u{85}d", "\u{202E}evil", "👩‍👩‍👧‍👦", "קפה",
  ]

  @Test func `user text is displayed and never interpreted as markup, and the report loads and runs nothing`() throws {
    var lines = ""
    func put(_ record: String, _ id: String, _ fields: [String: JSONValue]) throws {
      let members = fields.merging(["record": .string(record), "id": .string(id)]) { $1 }
      lines += String(decoding: try WireJSON.encode(JSONValue.object(members)), as: UTF8.self) + "\n"
    }
    func event(_ id: String, _ type: String, _ day: Int, _ fields: [String: JSONValue]) throws {
      let date = "2026-03-\(day < 10 ? "0" : "")\(day)"
      let common: [String: JSONValue] = [
        "event_type_id": .string(type), "timestamp": .string("\(date)T08:00:00.000Z"), "is_all_day": false,
        "properties": [:],
        "end_date": .string("\(date)T08:30:00.000Z"), "source_type": "manual",
      ]
      try put("event", id, common.merging(fields) { $1 })
    }
    for (place, text) in Self.hostile.enumerated() {
      let (name, id) = (JSONValue.string(text), "\(place)")
      try put("event_type", "t\(id)", ["name": name, "color": name, "icon": .string(String(text.prefix(2)))])
      try put(
        "property_definition", "d\(id)",
        ["event_type_id": .string("t\(id)"), "key": name, "label": name, "property_type": "number", "display_order": 0])
      let latitude = 40.5 + Double(place)
      try put(
        "geofence", "g\(id)",
        ["name": name, "latitude": .double(latitude), "longitude": 5, "radius": 100, "is_active": true])
      try put("vehicle", "v\(id)", ["name": name])
      let fields: [String: JSONValue] = ["notes": name, "original_title": name, "location_name": name]
      try event(
        "e\(id)", "t\(id)", 1 + place,
        fields.merging(["properties": .object([text: ["type": "number", "value": .int(Int64(place) + 2)]])]) { $1 })
      try event("s\(id)", "t\(id)", 2 + place, ["source_type": "geofence", "geofence_id": .string("g\(id)")])
      try event(
        "r\(id)", "t\(id)", 3 + place,
        [
          "source_type": "trip", "location_latitude": .double(latitude), "location_longitude": 5,
          "properties": [
            "distance": ["type": "number", "value": 12_000], "vehicle": ["type": "text", "value": .string("v\(id)")],
            "car": ["type": "text", "value": name],
          ],
        ])
    }
    try self.put(lines)
    let html = try report("--year", "2026")
    let names = Set(
      try tags(html).map { tag in tag.lowercased().drop { "</!".contains($0) }.prefix { $0.isLetter || $0.isNumber } })
    #expect(
      names.subtracting([
        "doctype", "html", "head", "meta", "link", "title", "style", "body", "svg", "defs", "pattern", "path", "rect",
        "text",
        "header", "main", "section", "nav", "footer", "figure", "p", "h1", "h2", "h3", "h4", "dl", "dt", "dd", "div",
        "span", "small",
        "a", "b", "bdi", "ul", "li", "details", "summary", "table", "caption", "thead", "tbody", "tr", "th", "td",
      ]).isEmpty, "\(names.sorted())")
    for tag in try tags(html) {
      for attribute in tag.matches(of: /\s([A-Za-z-]+)=("[^"]*"|'[^']*'|\S*)/) {
        let (name, value) = (attribute.output.1.lowercased(), attribute.output.2)
        #expect(!name.hasPrefix("on") && name != "src" && name != "srcset", "\(tag)")
        if name == "href" { #expect(value.hasPrefix("\"#") || value == "\"data:,\"", "\(tag)") }
      }
    }
    let style = try #require(html.firstMatch(of: /<style>([\s\S]*?)<\/style>/)?.output.1)
    #expect(style.matches(of: /url\(([^)]*)\)/).allSatisfy { $0.output.1 == "#hatch" } && !style.contains("@import"))
    #expect(html.contains("default-src 'none'"))
    let shown = words(html)
    for text in Self.hostile where !text.contains("\u{7}") { #expect(shown.contains(text), "\(text)") }
    #expect(shown.contains("b\u{FFFD}c\u{FFFD}d") && !html.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `the report's numbers equal trendy year, and every figure has a finding and a table`() throws {
    for day in 1...20 {
      for _ in 0...(day % 3) {
        try bench.trendy("log", "coffee", "--at", "2025-02-\(day < 10 ? "0" : "")\(day)T08:10:00Z")
      }
    }
    try bench.trendy("log", "coffee", "--at", "2024-02-03T08:00:00Z")
    try bench.trendy("log", "mood", "--at", "2025-02-03T21:00:00Z")
    let year = try bench.trendy("year", "2025", "--json").document
    let html = try report("--year", "2025")
    let shown = words(html)
    let total = try #require(year["total"])
    #expect(total["now"] == 42)
    for sentence in year["summary"]?.arrayValue ?? [] {
      #expect(shown.contains(try #require(sentence.stringValue)), "\(sentence)")
    }
    let coffee = try #require(year["types"]?.arrayValue?.first { $0["event_type"]?["name"] == "coffee" })
    let row = "coffee\(coffee["now"]?.intValue ?? 0)\(coffee["before"]?.intValue ?? 0)+4000 %201"
    #expect(shown.contains(row), "\(row)")
    #expect(shown.contains("20-day streak until Thu 20 Feb"))
    let figures = html.components(separatedBy: "<figure").dropFirst()
    #expect(figures.count >= 9)
    for figure in figures {
      let body = figure.components(separatedBy: "</figure>")[0]
      #expect(
        body.contains("class=\"finding\"") && body.contains("<table>") && body.contains("<caption>"),
        "\(body.prefix(300))")
    }
    // Each picture has an alternative text for screen readers.
    #expect(html.matches(of: /<svg [^>]*role="img"[^>]*>/).allSatisfy { $0.output.contains(/aria-label="[^"]+"/) })
  }

  @Test func `days and hours follow the user's time zone and settings`() throws {
    let zone = ["TZ": "Europe/Amsterdam"]
    let logged = try bench.run(
      "trendy", ["log", "coffee", "--at", "2024-12-31T23:30:00Z", "--store", bench.store()], environment: zone)
    #expect(logged.status == 0)
    let html = try report("--year", "2025", environment: zone)
    #expect(words(html).contains("Entries on 1 of 365 days, most on Wed 1 Jan: 1."))
    #expect(words(html).contains("Most from 00:00 to 01:00 (100 %)"))
    let twelve = try report("--year", "2025", environment: zone.merging(["TRENDY_HOURS": "12"]) { $1 })
    #expect(words(twelve).contains("Most from 12:00 am to 1:00 am (100 %)"))
    #expect(words(try report("--year", "2024", environment: zone)).contains("No entries in this period."))
    try bench.trendy("trip", "add", "16.09344km", "--from", "2025-03-01T08:00:00Z", "--for", "30m")
    #expect(
      words(try report("--year", "2025", environment: ["TRENDY_UNITS": "imperial"])).contains("10.0 mi in 1 trip"))
  }

  @Test func `visits and trips are grouped by place, month and vehicle`() throws {
    try bench.trendy("vehicle", "add", "Van")
    for (day, length) in [
      ("2025-03-01", "10km"), ("2025-03-31", "20km"), ("2025-04-01", "12km"), ("2024-12-31", "99km"),
    ] {
      let added = try bench.trendy(
        "trip", "add", length, "--from", "\(day)T08:00:00Z", "--for", "30m", "--category", "business", "--vehicle",
        "Van")
      #expect(added.status == 0, "\(added.talk)")
    }
    try put(
      """
      {"record":"event_type","id":"v","name":"Home visit","color":"#112233","icon":"house"}
      {"record":"geofence","id":"g","name":"Home","latitude":51.9,"longitude":4.4,"radius":100,"is_active":true}
      {"record":"event","id":"a","event_type_id":"v","timestamp":"2025-03-01T18:00:00.000Z","end_date":"2025-03-02T06:00:00.000Z","is_all_day":false,"source_type":"geofence","geofence_id":"g","properties":{}}
      {"record":"event","id":"b","event_type_id":"v","timestamp":"2025-03-03T18:00:00.000Z","end_date":"2025-03-03T19:30:00.000Z","is_all_day":false,"source_type":"geofence","geofence_id":"g","properties":{}}
      {"record":"event","id":"c","event_type_id":"v","timestamp":"2024-03-03T18:00:00.000Z","end_date":"2024-03-03T19:30:00.000Z","is_all_day":false,"source_type":"geofence","geofence_id":"g","properties":{}}

      """)
    let shown = words(try report("--year", "2025"))
    #expect(shown.contains("Most often at Home: 2 visits, 14 h in total."), "\(shown.suffix(3000))")
    #expect(shown.contains("42.0 km in 3 trips; 99.0 km in 1 trip in the previous year."))
    #expect(shown.contains("Mar 2025230.0 km0.0 km30.0 km") && shown.contains("Business 100 %"))
    #expect(shown.contains("Van342.0 km"))
    // A report on another event type does not contain trips.
    #expect(!words(try report("--year", "2025", "--type", "Home visit")).contains("Trips and mileage"))
  }

  @Test func `an empty store, a single entry and a custom range have a report`() throws {
    #expect(words(try report()).contains("No entries in this period."))
    try bench.trendy("log", "coffee", "--at", "2025-06-10T08:00:00Z")
    for (words, title) in [
      (["--year", "2025"], "2025"), (["--since", "2025-06-01", "--until", "2025-06-30"], "1 to 30 June 2025"),
      (["--since", "2025-06-10", "--until", "2025-06-10"], "10 June 2025"),
      (["--since", "2024-12-30", "--until", "2025-06-30"], "30 December 2024 to 30 June 2025"),
    ] {
      let result = try bench.run("trendy", ["export", "report"] + words + ["--store", bench.store()])
      #expect(result.output.contains("<h1>\(title)</h1>"), "\(words): \(result.talk)")
      #expect(self.words(result.output).contains("1 entry on 1 of"))
      _ = try tags(result.output)
    }
    for words in [["--year", "9999"], ["--year", "x"], ["--year", "2025", "--since", "7d"], ["--type", "nope"]] {
      let refused = try bench.run("trendy", ["export", "report"] + words + ["--store", bench.store()])
      #expect([64, 66].contains(refused.status) && refused.output.isEmpty, "\(words)")
    }
    let path = bench.folder.appending(path: "year.html").path
    let written = try bench.trendy("export", "report", "--year", "2025", path, "--json").document
    #expect(written["records"] == 1 && written["from"] == "2025-01-01" && written["through"] == "2025-12-31")
    #expect(try bench.trendy("export", "report", path).status == 73)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == report("--year", "2025"))
  }

  @Test func `custom colours have enough contrast on light and dark backgrounds`() throws {
    let colours = ["#FFFF00", "#FFFFFF", "#000000", "#00FF00", "#0000FF", "#FF00FF", "#808080", "#123456", "#F5F5DC"]
    for (place, colour) in colours.enumerated() {
      try bench.trendy("type", "add", "type \(place)", "--color", colour)
      try bench.trendy("log", "type \(place)", "--at", "2025-06-10T08:00:00Z")
    }
    let html = try report("--year", "2025")
    let found = html.matches(of: /\.t\d+\{--tl:(#\w{6});--il:(#\w{6});--td:(#\w{6});--id:(#\w{6})\}/)
    #expect(found.count == colours.count + 1)
    for match in found {
      let (_, mark, ink, darkMark, darkInk) = match.output
      #expect(contrast(mark, "#f9f8f6") >= 3 && contrast(darkMark, "#101114") >= 3, "\(match.output.0)")
      #expect(contrast(ink, mixed(mark, "#ffffff", 0.13)) >= 4.5, "\(match.output.0)")
      #expect(contrast(darkInk, mixed(darkMark, "#181a1e", 0.2)) >= 4.5, "\(match.output.0)")
    }
  }

  private func parts(_ hex: some StringProtocol) -> [Double] {
    let number = Int(hex.dropFirst(), radix: 16) ?? 0
    return [16, 8, 0].map { Double(number >> $0 & 255) / 255 }
  }

  private func mixed(_ hex: some StringProtocol, _ ground: String, _ share: Double) -> String {
    "#"
      + zip(parts(hex), parts(ground)).map { part, ground in
        let byte = Int(((part * share + ground * (1 - share)) * 255).rounded())
        return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
  }

  /// Returns the contrast ratio as defined by WCAG 2.2.
  private func contrast(_ one: some StringProtocol, _ other: some StringProtocol) -> Double {
    func luminance(_ hex: some StringProtocol) -> Double {
      let linear = parts(hex).map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
    let (light, dark) = (max(luminance(one), luminance(other)), min(luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
  }
}
