// swift-tools-version: 6.2
import PackageDescription

// An app that embeds Trendy from a checkout in a neighbouring folder. It depends only on the packages below; their
// dependencies (TrendyModels, TrendyProtocols) come with them and are imported in the same way. The build settings of
// Trendy's manifests are not required.
let package = Package(
  name: "Embedding",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "CoffeeJournal", targets: ["CoffeeJournal"])],
  dependencies: [
    .package(path: "../../Packages/TrendyNetworking"),
    .package(path: "../../Packages/TrendyPersistence"),
    .package(path: "../../Packages/TrendySync"),
    .package(path: "../../Packages/TrendyTesting"),
    .package(path: "../../Packages/TrendyTrips"),
  ],
  targets: [
    .target(name: "CoffeeJournal", dependencies: ["TrendySync"]),
    // The code of the README, compiled as it is printed there.
    .target(name: "Readme", dependencies: ["TrendyNetworking", "TrendyPersistence", "TrendySync"]),
    .testTarget(name: "ReadmeTests", dependencies: ["TrendySync", "TrendyTesting"]),
    .testTarget(name: "CoffeeJournalTests", dependencies: ["CoffeeJournal", "TrendySync", "TrendyTesting"]),
    // Names, labels and defaults that apps and their tests rely on; a change breaks the build.
    .testTarget(name: "NamesTests", dependencies: ["TrendySync", "TrendyTesting", "TrendyTrips"]),
  ]
)
