/// Words as a shell parts and quotes them (POSIX, "Shell Command Language", 2.2 and 2.6.5), without what it would expand.
public enum ShellWords: Sendable {
  /// A line taken apart at its blanks; quotes and backslashes keep what they hold together.
  /// - Returns: `nil` where a quote has no end.
  public static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case ("\\", nil), ("\\", "\""):
        guard let next = rest.popFirst() else { return nil }
        // Between double quotes a backslash takes the meaning of these alone.
        if quote != nil, !"\"\\$`".contains(next) { word = (word ?? "") + "\\" }
        word = (word ?? "") + String(next)
      case (let mark, let open?) where mark == open: quote = nil
      case (let text, _?): word = (word ?? "") + String(text)
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (let blank, nil) where blank.isWhitespace:
        if let done = word { words.append(done) }
        word = nil
      case (let text, nil): word = (word ?? "") + String(text)
      }
    }
    guard quote == nil else { return nil }
    if let word { words.append(word) }
    return words
  }

  /// A word as it is typed so that a shell takes it as it is.
  public static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_./:=@%+,".unicodeScalars.contains(scalar)
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
