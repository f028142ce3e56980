// swift-tools-version: 6.2
import PackageDescription

// An app that embeds Trendy from a checkout beside it. It names two packages; what they are made of (TrendyModels,
// TrendyProtocols, TrendyPersistence) comes with them and is imported like they are. It asks for none of the settings that
// Trendy's own manifests have: an app's settings are its own.
let package = Package(
  name: "Embedding",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "CoffeeJournal", targets: ["CoffeeJournal"])],
  dependencies: [
    .package(path: "../../Packages/TrendyNetworking"),
    .package(path: "../../Packages/TrendyPersistence"),
    .package(path: "../../Packages/TrendySync"),
    .package(path: "../../Packages/TrendyTesting"),
  ],
  targets: [
    .target(name: "CoffeeJournal", dependencies: ["TrendySync"]),
    // What the README shows, letter by letter: this compiles, or that does not.
    .target(name: "Readme", dependencies: ["TrendyNetworking", "TrendyPersistence", "TrendySync"]),
    .testTarget(name: "ReadmeTests", dependencies: ["TrendySync", "TrendyTesting"]),
    .testTarget(name: "CoffeeJournalTests", dependencies: ["CoffeeJournal", "TrendySync", "TrendyTesting"]),
    // The names, labels and defaults that apps and their tests rely on: this compiles, or they do not.
    .testTarget(name: "NamesTests", dependencies: ["TrendySync", "TrendyTesting"]),
  ]
)
