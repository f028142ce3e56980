public import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendySync

extension CommandError {
  /// Returns the error for a folder that does not contain a store.
  public static func noStore(at path: String) -> CommandError {
    // Treat a folder that cannot be read as empty.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    if names.contains(where: { $0.hasPrefix("log-") || $0.hasPrefix("segment-") }) {
      return CommandError(
        "The manifest of the store at \(path) is missing",
        hint: "Run 'trendy doctor' to see what can be recovered.", exit: .readWrite)
    }
    return CommandError("No store found at \(path)", hint: "Create one: trendy init", exit: .notFound)
  }

  /// Returns the error for a backup or export file that already exists. With `isReplacing`, the file was to be replaced
  /// but belongs to a store.
  public static func fileExists(at path: String, isReplacing: Bool) -> CommandError {
    CommandError(
      "\(path) already exists",
      hint: isReplacing
        ? "Nothing was written, because the file belongs to a store. Choose another name."
        : "Nothing was written. Choose another name, or overwrite it with --yes.", exit: .cannotCreate)
  }

  /// Creates a message for an error thrown by one of the packages.
  public init(describing error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as StorageError: self.init(storage: error)
    case let error as APIError: self.init(hub: error)
    case RecorderError.invalidValue(let kind, let error):
      self.init(
        "Cannot save the \(kind.words): \(error)", hint: "Nothing was changed. \(Self.sentence(error.advice[...])).",
        exit: .badData)
    case let error as RecorderError:
      let exit: ExitCode =
        switch error {
        case .notHeld, .noSuchConflict: .notFound
        case .deletionUnderWay: .tryAgain
        case .parentDeleted, .notOurs, .notDeleted, .hasItsOwnType, .otherEntity: .refused
        case .unwritableTime, .invalidValue: .badData
        }
      self.init(error.description, exit: exit)
    case let error as OwnerOnlyFile.WriteError:
      self.init(
        cannot: "write", error.path, code: error.code,
        hint: "No data was lost. Check the free space and the permissions of the folder.")
    case let error as AccountFile.ReadError:
      self.init(
        error.description,
        hint:
          "Your entries are not affected. Delete that file and pair with the same hub again: trendy connect URL CODE",
        exit: .configuration)
    default:
      self =
        CommandError(file: error)
        ?? CommandError("\(error)", hint: "This is a bug in the program. Please report it.", exit: .bug)
    }
  }

  /// Creates a message from a storage error's description. The part after the first colon becomes the hint.
  private init(storage error: StorageError) {
    let exit: ExitCode =
      switch error {
      case .newerVersion: .version
      case .permissionDenied, .notAFolder, .exists: .cannotCreate
      case .notFound, .missing: .notFound
      case .busy, .replaced: .tryAgain
      case .cancelled: .interrupted
      case .invalidIdentifier, .tooLarge, .notABackup, .wrongSignature: .badData
      case .damaged, .diskFull, .readOnly, .openedReadOnly, .syncFailed, .unreadableRow, .failed: .readWrite
      }
    let text = error.description
    guard let colon = text.firstRange(of: ": ") else {
      self.init(text, exit: exit)
      return
    }
    let advice = text[colon.upperBound...]
    let fact = text[..<colon.lowerBound]
    self.init(
      error.beginsWithPath ? String(fact) : Self.sentence(fact), hint: advice.isEmpty ? nil : Self.sentence(advice),
      exit: exit)
  }

  private init(hub error: APIError) {
    let kept = "No data was lost; changes stay pending on this device."
    switch error {
    case .networkError(let what) where what.lowercased().contains("certificate"):
      self.init(
        "The certificate of the hub is not trusted: \(what)",
        hint: "\(kept) Add your certificate authority to the system (SSL_CERT_FILE is not used): copy it to "
          + "/usr/local/share/ca-certificates/NAME.crt and run update-ca-certificates.", exit: .refused)
    case .networkError(let what) where Self.isOfTLS(what):
      self.init(
        "The hub does not use TLS at this port, or its TLS settings are unusable: \(what)",
        hint: "\(kept) Use http:// for a hub without TLS. On a trusted network, add --insecure.",
        exit: .unreachable)
    case .networkError(let what), .timedOut(let what):
      self.init(
        "The hub does not respond: \(what)", hint: "\(kept) Check that it is running, then try again: trendy sync",
        exit: .unreachable)
    case .decodingError(let what):
      self.init("The server is not a Trendy hub: \(what)", hint: "\(kept) Check the address.", exit: .version)
    case .httpError(let status):
      self.init("The hub responded with status \(status)", hint: kept, exit: error.isTransient ? .tryAgain : .refused)
    case .problem(let problem, _):
      let exit: ExitCode =
        switch problem.status {
        case 401, 403: .refused
        case 409, 410: .version
        default: problem.isTransient ? .tryAgain : .refused
        }
      let hint = problem.status == 401 ? "\(kept) Pair again: trendy connect URL CODE" : kept
      self.init(problem.description, hint: hint, exit: exit, requestId: problem.requestId)
    }
  }

  /// Whether a network error is about TLS, for example because the server does not use TLS on this port.
  private static func isOfTLS(_ what: String) -> Bool {
    ["ssl", "tls", "secure connection"].contains { what.lowercased().contains($0) }
  }

  private static func sentence(_ text: Substring) -> String {
    guard let first = text.first else { return "" }
    return first.uppercased() + text.dropFirst()
  }
}

extension StorageError {
  /// Whether the description starts with a path, which must not be capitalized.
  fileprivate var beginsWithPath: Bool {
    switch self {
    case .damaged, .newerVersion, .readOnly, .openedReadOnly, .notFound, .missing, .notAFolder, .exists, .notABackup,
      .wrongSignature:
      true
    case .diskFull, .permissionDenied, .busy, .syncFailed, .tooLarge, .invalidIdentifier, .unreadableRow, .replaced,
      .cancelled, .failed:
      false
    }
  }
}
