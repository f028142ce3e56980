/// Words as a shell parts and quotes them (POSIX, "Shell Command Language", 2.2 and 2.6.5), without what it would expand.
public enum ShellWords: Sendable {
  /// A line taken apart at its blanks; quotes and backslashes keep what they hold together.
  /// - Returns: `nil` where a quote has no end.
  public static func split(_ line: String) -> [String]? {
    var words: [String] = []
    // Grown in its place: a note may be a megabyte long.
    var word = ""
    var isInWord = false
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      if quote == nil, character.isWhitespace {
        if isInWord { words.append(word) }
        (word, isInWord) = ("", false)
        continue
      }
      isInWord = true
      switch (character, quote) {
      case ("\\", nil), ("\\", "\""):
        guard let next = rest.popFirst() else { return nil }
        // Between double quotes a backslash takes the meaning of these alone.
        if quote != nil, !"\"\\$`".contains(next) { word.append("\\") }
        word.append(next)
      case (let mark, let open?) where mark == open: quote = nil
      case ("'", nil), ("\"", nil): quote = character
      case (let text, _): word.append(text)
      }
    }
    guard quote == nil else { return nil }
    if isInWord { words.append(word) }
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
