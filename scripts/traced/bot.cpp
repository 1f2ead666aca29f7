#include <chrono>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <thread>
#include <vector>
int main() {
    std::random_device dice; std::ifstream f("bot.cpp"); std::string line;
    std::vector<std::future<int>> all;
    for (int i = 0; i < 4; i++) all.push_back(std::async(std::launch::async, [&] {
        std::vector<int> v(1 << 20, 3); std::this_thread::sleep_for(std::chrono::milliseconds(1)); return v[5]; }));
    for (auto &one : all) one.get();
    try { throw std::runtime_error("x"); } catch (...) {}
    while (std::getline(std::cin, line)) std::cout << line << dice() << std::endl; }
