import Foundation
import TrendyHub

/// Attacks a hub as one of its many users and checks that all other users are still served. The hub has a low limit on
/// open files.
///
/// Prints one line of JSON for each attack with the latencies of the regular users' requests. The exit status is 1 if
/// one of these requests failed or a user was not served.
@main
enum TrendyHostile {
  private static let usage =
    "trendy-hostile --programs DIR [--persons 400] [--descriptors 1024] [--seconds 10] [--only NAME] [--dir DIR]\n"
    + "attacks: \(Attack.all.map(\.name).joined(separator: ", "))"

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      exit(try run(options) ? 0 : 1)
    } catch let error as UsageError {
      printError("Error: \(error.text)\nUsage: \(usage)")
      exit(64)
    } catch {
      printError("Error: \(error)")
      exit(70)
    }
  }

  struct Options {
    var programs = ""
    var persons = 400
    var descriptors = 1024
    var seconds = 10.0
    var only: String?
    var folder = FileManager.default.temporaryDirectory.appending(path: "trendy-hostile-\(getpid())").path

    init(_ words: [String]) throws {
      var rest = words[...]
      while let name = rest.popFirst() {
        guard let value = rest.popFirst() else { throw UsageError(text: "'\(name)' needs a value") }
        func number(_ range: ClosedRange<Int>) throws -> Int {
          guard let number = Int(value), range.contains(number) else {
            throw UsageError(text: "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
          }
          return number
        }
        switch name {
        case "--programs": programs = value
        case "--persons": persons = try number(2...10_000)
        case "--descriptors": descriptors = try number(256...1_000_000)
        case "--seconds": seconds = Double(try number(1...3600))
        case "--only":
          guard Attack.all.contains(where: { $0.name == value }) else {
            throw UsageError(text: "unknown attack '\(value)'")
          }
          only = value
        case "--dir": folder = value
        default: throw UsageError(text: "unknown option '\(name)'")
        }
      }
      guard FileManager.default.isExecutableFile(atPath: programs + "/trendyd") else {
        throw UsageError(text: "--programs must be the folder that contains trendyd")
      }
    }
  }

  /// Runs all attacks and returns whether all users were served during each attack.
  private static func run(_ options: Options) throws -> Bool {
    defer { try? FileManager.default.removeItem(atPath: options.folder) }
    let hub = try HostileHub(options)
    defer { hub.kill() }
    var allServed = true
    func report(_ name: String, _ figures: Figures) {
      let isAlive = hub.process.isRunning
      allServed = allServed && isAlive && figures.failures == 0 && figures.served == options.persons - 1
      printLine(
        figures.line(attack: name, persons: options.persons - 1, descriptors: hub.descriptors, isAlive: isAlive))
      for example in figures.examples { printError("\(name): \(example)") }
    }
    // The run without an attack is the baseline, and lets the number of open descriptors settle.
    report("none", Crowd(hub).serve(atLeast: options.seconds))
    for attack in Attack.all where options.only.map({ $0 == attack.name }) ?? true {
      guard hub.process.isRunning else {
        printError("\(attack.name): the hub exited: \(hub.lastLogLines)")
        return false
      }
      let stop = Flag()
      let attackers = attack.begin(hub, stop)
      report(attack.name, Crowd(hub).serve(atLeast: options.seconds))
      stop.raise()
      for attacker in attackers { attacker.wait() }
    }
    let ended = hub.end()
    if !ended { printError("the hub did not exit within 5 s") }
    return allServed && ended
  }
}

/// Writes a line without buffering, so that a program that reads from a pipe receives each line immediately.
private func printLine(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

private func printError(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

struct UsageError: Error { var text: String }
