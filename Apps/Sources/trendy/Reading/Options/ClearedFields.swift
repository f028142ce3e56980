import CommandSupport

/// A field of something that `--clear` empties.
protocol ClearableField: RawRepresentable<String>, CaseIterable {
  /// `nil` for a word that names none.
  init?(_ word: String)
}

extension ClearableField {
  init?(_ word: String) { self.init(rawValue: word) }

  /// `note, vehicle or category`.
  fileprivate static var list: String {
    let words = allCases.map(\.rawValue)
    return words.count < 2
      ? words.joined() : "\(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1])"
  }

  static var option: OptionSpec {
    OptionSpec(
      "--clear", value: "field", kind: .oneOf(allCases.map(\.rawValue)), repetition: .allCount, help: list)
  }

  /// Those that a command line names.
  static func named(_ session: Session) throws(CommandError) -> [Self] {
    try session.arguments.all("--clear").map { word throws(CommandError) in
      guard let field = Self(word) else {
        throw session.usageError("There is no '\(word)' to clear", hint: "\(list).")
      }
      return field
    }
  }
}
