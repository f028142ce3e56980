/// Recognises files that users select by mistake, or that an export contains in addition to the data.
enum FileToSkip {
  /// Advice for Google exports that do not contain the location history.
  static let phoneExport =
    "location history is exported on the phone: on Android in Settings > Location > Location services > Timeline > "
    + "Export; on an iPhone in Google Maps > Settings > Personal content > Export Timeline data"

  /// Recognises a file by its first 64 KiB, or by its whole content if the file is shorter.
  ///
  /// - Returns: The file's name for lists and optional advice for an error message, or `nil` for any other file.
  static func recognise(_ head: ArraySlice<UInt8>) -> (name: String, advice: String?)? {
    let content = head.withoutLeadingSpace
    switch content.first {
    case nil: return ("an empty file", nil)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return json(content)
    default: break
    }
    if content.starts(with: "%PDF".utf8) { return ("a PDF", "export the data in a machine-readable format") }
    if content.starts(with: "Rar!".utf8) { return ("a RAR archive", "unpack it and import the folder") }
    if content.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
      return ("an old Office file", "save it as CSV and import that file")
    }
    if content.starts(with: "SQLite format 3".utf8) { return database(content) }
    if content.starts(with: "bplist".utf8) { return ("a binary property list", nil) }
    let beginning = String(decoding: content.prefix(2000), as: UTF8.self).lowercased()
    if beginning.contains("<clinicaldocument") {
      return ("a clinical document of Apple Health", "the data is in export.xml in the same folder")
    }
    if beginning.hasPrefix("<"), beginning.contains("google data export archive") {
      return ("the index page of a Takeout", "import the archive or folder that contains it")
    }
    if beginning.contains("encrypted timeline backup") {
      return ("a notice about encrypted Timeline backups", phoneExport)
    }
    return nil
  }

  private static func database(_ content: ArraySlice<UInt8>) -> (name: String, advice: String?) {
    String(decoding: content, as: UTF8.self).contains("CREATE TABLE Repetitions")
      ? ("a database of Loop", "in Loop, choose Settings > Export as CSV, and import that archive")
      : ("a database", "export its data as CSV or JSON with the program that created it")
  }

  private static func json(_ content: ArraySlice<UInt8>) -> (name: String, advice: String?)? {
    guard let outline = JSONOutline(content) else { return nil }
    let members = outline.members
    if members.isEmpty, !outline.isCutOff, content.count < 1000 { return ("an empty JSON document", nil) }
    if members["timelineEdits"] != nil {
      return ("Google's Timeline edits", "they contain only a few raw signals; " + phoneExport)
    }
    if members["deviceSettings"] != nil { return ("the settings of Google's Timeline", phoneExport) }
    if members["titleUrl"] != nil || (members["header"] != nil && members["title"] != nil) {
      return ("Google's My Activity", "it lists searches and pages; " + phoneExport)
    }
    return nil
  }

  static func refusal(_ head: ArraySlice<UInt8>) -> String? {
    guard !head.withoutLeadingSpace.isEmpty else { return nil }
    return recognise(head).map { name, advice in
      "this looks like \(name), which cannot be imported" + (advice.map { "; \($0)" } ?? "")
    }
  }
}
