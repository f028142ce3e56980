/// Splits and quotes words by shell rules, without expansions (POSIX, "Shell Command Language", 2.2 and 2.6.5).
public enum ShellWords: Sendable {
  /// Splits a line at unquoted whitespace.
  /// - Returns: words with quotes removed, or `nil` if a quote is not closed or the line ends with a backslash.
  public static func split(_ line: String) -> [String]? {
    var words: [String] = []
    // Characters are appended in place rather than collected as pieces, because a note may be a megabyte long.
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
        // Within double quotes, a backslash escapes only these characters.
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

  /// Returns the word, quoted for a shell if necessary.
  public static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_./:=@%+,".unicodeScalars.contains(scalar)
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
