import CommandSupport

/// Field that `--clear` can remove.
protocol ClearableField: RawRepresentable<String>, CaseIterable {
  init?(_ word: String)
}

extension ClearableField {
  init?(_ word: String) { self.init(rawValue: word) }

  fileprivate static var list: String {
    let words = allCases.map(\.rawValue)
    return words.count < 2
      ? words.joined() : "\(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1])"
  }

  static var option: OptionSpec {
    OptionSpec(
      "--clear", value: "field", kind: .oneOf(allCases.map(\.rawValue)), repetition: .allCount,
      help: "remove a value: " + list)
  }

  static func named(_ session: Session) throws(CommandError) -> [Self] {
    try session.arguments.all("--clear").map { word throws(CommandError) in
      guard let field = Self(word) else {
        throw session.usageError("Cannot clear '\(word)'", hint: "Use \(list).")
      }
      return field
    }
  }
}
