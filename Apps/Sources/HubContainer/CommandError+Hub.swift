public import CommandSupport
import TrendyHub
import TrendyPersistence

extension CommandError {
  /// What a person reads of an error of the hub; `nil` for one that is none of the hub's.
  public init?(describingHub error: any Error) {
    switch error {
    case let error as HTTPTransportError:
      let parts = error.description.split(separator: ": ", maxSplits: 1)
      self.init(Self.sentence(parts[0]), hint: parts.count > 1 ? Self.sentence(parts[1]) : nil, exit: .configuration)
    case let error as HubStorageError:
      let (hint, exit): (String, ExitCode) =
        switch error {
        case .occupied: ("--data, or TRENDY_HUB_DATA, names a folder for this one.", .tryAgain)
        case .busy, .exhausted: ("Nothing that was acknowledged is lost.", .tryAgain)
        case .unreachable: ("Nothing that was acknowledged is lost. Look whether the database runs.", .tryAgain)
        case .full, .erased, .unreadable, .store, .file, .refused, .newerSchema, .invalidAddress, .unsupported:
          ("Nothing that was acknowledged is lost.", .readWrite)
        }
      self.init(Self.sentence(error.description[...]), hint: hint, exit: exit)
    case let error as HubMove.Failure:
      let hint =
        switch error {
        case .nothingToMove: "--data, --storage or the configuration name the hub that is meant."
        case .occupied: "Nothing was changed. --to names an empty database, or a folder without a hub."
        case .differs: "The hub is where it was. Look whether disk and memory are sound, and say it again."
        case .changed: "The hub is where it was. Stop every process that serves it, and say it again."
        }
      self.init("The hub was not moved: \(error.description)", hint: hint, exit: .refused)
    case let problem as Problem:
      // What was typed is no document: the detail names what is wrong with it.
      let what = problem.status == 400 ? Self.sentence(problem.detail[...]) : "\(problem.title): \(problem.detail)"
      self.init(what, exit: problem.status == 404 ? .notFound : .usage)
    default:
      return nil
    }
  }

  private static func sentence(_ text: Substring) -> String { (text.first?.uppercased() ?? "") + text.dropFirst() }
}
