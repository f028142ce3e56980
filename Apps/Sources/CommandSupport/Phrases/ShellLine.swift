/// A shell command line up to the cursor.
public struct ShellLine: Hashable, Sendable {
  /// Words with quotes and escapes removed. The last word is incomplete and may be empty.
  public private(set) var words: [String] = [""]
  /// Whether the last word has an unclosed quote.
  public private(set) var isQuoted = false

  /// Splits a line into words according to POSIX quoting rules.
  public init(_ line: some StringProtocol) {
    var quote: Character?
    var isEscaped = false
    // Whether the current word has started. Quotes start a word even if it is empty.
    var isWord = false
    for character in line {
      if isEscaped {
        // Within double quotes, a backslash escapes only these characters and is otherwise literal.
        if quote == "\"", !"\"\\$`".contains(character) { words[words.count - 1].append("\\") }
        words[words.count - 1].append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        isWord = true
      } else if quote == nil, character.isWhitespace {
        if isWord || words[words.count - 1] != "" { words.append("") }
        isWord = false
      } else {
        words[words.count - 1].append(character)
      }
    }
    isQuoted = quote != nil
  }

  /// Shortens candidates for the whole last word, for a shell that replaces only the part of it after the last break
  /// character.
  ///
  /// `breaks` is the value of bash's `COMP_WORDBREAKS`.
  public func completing(_ candidates: [Candidate], breaks: String) -> [Candidate] {
    let typed = words[words.count - 1]
    guard !isQuoted, let last = typed.lastIndex(where: { "=:".contains($0) && breaks.contains($0) }) else {
      return candidates
    }
    let count = typed[...last].count
    return candidates.map { $0 == .files ? $0 : Candidate(String($0.text.dropFirst(count)), $0.meaning) }
  }
}
