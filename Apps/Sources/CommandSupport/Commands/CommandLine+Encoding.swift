extension CommandLine {
  /// Rejects arguments that are not UTF-8.
  ///
  /// The standard library inserts replacement characters into such arguments. They would alter a note or refer to
  /// another file.
  /// - Throws: ``CommandError`` that shows the argument.
  public static func checkEncoding() throws(CommandError) {
    for index in 0..<Int(argc) {
      guard let word = unsafeArgv[index], String(validatingCString: word) == nil else { continue }
      throw CommandError(
        "Argument '\(String(cString: word))' is not UTF-8",
        hint: "Nothing was done. Set the terminal to UTF-8, or rename the file.", exit: .usage)
    }
  }
}
