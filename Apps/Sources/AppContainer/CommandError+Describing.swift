public import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendySync

extension CommandError {
  /// A command that works on a store was given a folder without one.
  public static func noStore(at path: String) -> CommandError {
    // A folder that cannot be listed holds nothing that can be told of.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    if names.contains(where: { $0.hasPrefix("log-") || $0.hasPrefix("segment-") }) {
      return CommandError(
        "The store at \(path) has no manifest any more",
        hint: "trendy doctor says what is left of it, and what to do.", exit: .readWrite)
    }
    return CommandError("There is no store at \(path)", hint: "Make one: trendy init", exit: .notFound)
  }

  /// A backup was to get a name that a file has; one that may not be replaced, although that was asked for, is of a store.
  public static func fileExists(at path: String, isReplacing: Bool) -> CommandError {
    CommandError(
      "\(path) is there already",
      hint: isReplacing
        ? "Nothing was written: it belongs to a store. Give another name."
        : "Nothing was written. Give another name, or --yes to replace it.", exit: .cannotCreate)
  }

  /// What a person reads of an error that a package threw.
  public init(describing error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as StorageError: self.init(storage: error)
    case let error as APIError: self.init(hub: error)
    case RecorderError.invalidValue(let kind, let error):
      self.init(
        "The \(kind.words) cannot be recorded: \(error)", hint: "Nothing was changed: \(error.advice).", exit: .badData)
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
      self.init(error.description, hint: "Nothing was lost. Look at the folder's space and rights.", exit: .readWrite)
    case let error as AccountFile.ReadError:
      self.init(
        error.description,
        hint: "What was recorded is whole. Remove that file and pair again with the same hub: trendy connect URL CODE",
        exit: .configuration)
    default: self.init("\(error)", hint: "This is a fault of the program; please report it.", exit: .bug)
    }
  }

  /// A storage error says what happened and what to do, parted by a colon and a semicolon.
  private init(storage error: StorageError) {
    let exit: ExitCode =
      switch error {
      case .newerVersion: .version
      case .permissionDenied, .notAFolder, .exists: .cannotCreate
      case .missing: .notFound
      case .busy, .replaced: .tryAgain
      case .cancelled: .interrupted
      case .invalidIdentifier, .tooLarge, .notABackup, .wrongSignature: .badData
      case .damaged, .diskFull, .readOnly, .syncFailed, .unreadableRow, .failed: .readWrite
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
    let kept = "Nothing was lost; what was recorded here waits."
    switch error {
    case .networkError(let what) where what.lowercased().contains("certificate"):
      self.init(
        "The hub's certificate is not trusted: \(what)",
        hint: "\(kept) A certificate authority of your own has to be among the system's, SSL_CERT_FILE is not read: "
          + "/usr/local/share/ca-certificates/NAME.crt, then update-ca-certificates.", exit: .refused)
    case .networkError(let what), .timedOut(let what):
      self.init(
        "The hub does not answer: \(what)", hint: "\(kept) Is it running? trendy sync tries again.", exit: .unreachable)
    case .decodingError(let what):
      self.init("The answer is not a Trendy hub's: \(what)", hint: "\(kept) Check the address.", exit: .version)
    case .httpError(let status):
      self.init("The hub answered \(status)", hint: kept, exit: error.isTransient ? .tryAgain : .refused)
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

  private static func sentence(_ text: Substring) -> String {
    guard let first = text.first else { return "" }
    return first.uppercased() + text.dropFirst()
  }
}

extension StorageError {
  /// Whether its description begins with the name of a file, whose letters are as they are.
  fileprivate var beginsWithPath: Bool {
    switch self {
    case .damaged, .newerVersion, .readOnly, .missing, .notAFolder, .exists, .notABackup, .wrongSignature: true
    case .diskFull, .permissionDenied, .busy, .syncFailed, .tooLarge, .invalidIdentifier, .unreadableRow, .replaced,
      .cancelled, .failed:
      false
    }
  }
}
