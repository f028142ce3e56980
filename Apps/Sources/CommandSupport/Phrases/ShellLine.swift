/// A command line as it stands in a shell, up to the cursor.
public struct ShellLine: Hashable, Sendable {
  /// Without their quotes; the last is being typed, and may be empty.
  public private(set) var words: [String] = [""]
  /// Whether the last word stands in quotes that are still open.
  public private(set) var isQuoted = false

  public init(_ line: some StringProtocol) {
    var quote: Character?
    var isEscaped = false
    // Quotes begin a word, also one with nothing in it.
    var isWord = false
    for character in line {
      if isEscaped {
        // Between double quotes a backslash stands for itself, but before what it can quote there.
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

  /// The candidates as a shell wants them that completes only what stands behind the last of some characters of a word.
  /// - Parameter breaks: bash's `COMP_WORDBREAKS`.
  public func completing(_ candidates: [Candidate], breaks: String) -> [Candidate] {
    let typed = words[words.count - 1]
    guard !isQuoted, let last = typed.lastIndex(where: { "=:".contains($0) && breaks.contains($0) }) else {
      return candidates
    }
    let count = typed[...last].count
    return candidates.map { $0 == .files ? $0 : Candidate(String($0.text.dropFirst(count)), $0.meaning) }
  }
}
