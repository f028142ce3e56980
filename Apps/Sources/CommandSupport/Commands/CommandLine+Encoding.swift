extension CommandLine {
  /// Rejects arguments that are not valid UTF-8.
  ///
  /// The standard library replaces invalid bytes with replacement characters. A command would then store a garbled note
  /// or open the wrong file.
  /// - Throws: ``CommandError`` with exit 64. Its message quotes the argument with the replacements.
  public static func checkEncoding() throws(CommandError) {
    for index in 0..<Int(argc) {
      guard let word = unsafeArgv[index], String(validatingCString: word) == nil else { continue }
      throw CommandError(
        "Argument '\(String(cString: word))' is not UTF-8",
        hint: "Nothing was done. Set the encoding of the terminal to UTF-8, or rename the file.", exit: .usage)
    }
  }
}
